/**
 * Documentation of settings, kept next to their schemas. `docs/configuration.md` is generated from it (`npm run
 * settings-page`), so that the page matches the code.
 */
import { z } from 'zod'

export type SettingMeaning = {
  /** One or more sentences in Markdown, without the final full stop. */
  meaning: string
  /** Markdown. Overrides or explains the schema's own default. */
  default?: string
  /** Must not be disclosed; a text states the condition under which this applies. */
  secret?: true | string
  /** Restrictions in production, in Markdown. */
  production?: string
}

/**
 * Register with `schema.register(SETTINGS, …)` as the last call on a schema: zod keeps the entry for that exact object.
 */
export const SETTINGS = z.registry<SettingMeaning>()
