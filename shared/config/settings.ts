/** Stored next to the schemas, so that `docs/configuration.md` (`npm run settings-page`) matches the code. */
import { z } from 'zod'

export type SettingMeaning = {
  /** One or more sentences in Markdown, without the final full stop. */
  meaning: string
  /** Markdown; overrides or explains the schema's own default. */
  default?: string
  /** True if the value must not be disclosed; a text states the condition. */
  secret?: true | string
  /** Markdown. */
  production?: string
}

/** Call `schema.register(SETTINGS, …)` last on a schema, because zod stores the entry for that exact object. */
export const SETTINGS = z.registry<SettingMeaning>()
