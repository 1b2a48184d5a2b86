/** Stored next to the schemas, so that `docs/configuration.md` (`npm run settings-page`) matches the code. */
import { z } from 'zod'
import { LOG_LEVEL_DEFAULT, LOG_LEVEL_SETTINGS } from '../service-log/levels.ts'

type SettingMeaning = {
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

/**
 * Chosen by the operator, and checked by the edge and the origin in the same way. At least 24 random bytes, because
 * failed attempts are not rate limited.
 */
export const metricsTokenSetting = z
  .string()
  .regex(/^[A-Za-z0-9_-]{32,128}$/, 'expected 32 to 128 random characters of base64url')

/** Same meaning on the edge and the origin. */
export const LOG_LEVEL_MEANING =
  'the minimum level that is logged: `debug`, `info`, `warn` or `error`; `silent` disables logging'

export const logLevelSetting = z.enum(LOG_LEVEL_SETTINGS).default(LOG_LEVEL_DEFAULT)
