/**
 * Documentation of settings, stored next to their schemas. `docs/configuration.md` is generated from it (`npm run
 * settings-page`), so that the page matches the code.
 */
import { z } from 'zod'

export type SettingMeaning = {
  /** Description of the setting: one or more sentences in Markdown, without the final full stop. */
  meaning: string
  /** Default value in Markdown. It overrides or explains the schema's own default. */
  default?: string
  /** True if the value must not be disclosed. A text states the condition under which it must not be disclosed. */
  secret?: true | string
  /** Restrictions on the value in production, in Markdown. */
  production?: string
}

/**
 * Registry of the settings' documentation. Call `schema.register(SETTINGS, …)` last on a schema, because zod stores the
 * entry for that exact object.
 */
export const SETTINGS = z.registry<SettingMeaning>()
