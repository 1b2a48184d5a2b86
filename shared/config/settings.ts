/**
 * Descriptions of the settings. They are stored next to the schemas, so that `docs/configuration.md` (`npm run
 * settings-page`) matches the code.
 */
import { z } from 'zod'
import { LOG_LEVEL_DEFAULT, LOG_LEVEL_SETTINGS } from '../service-log/levels.ts'

type SettingMeaning = {
  /** Meaning of the setting: one or more sentences in Markdown, without the final full stop. */
  meaning: string
  /** Text in Markdown that overrides or explains the schema's own default. */
  default?: string
  /** True if the value of the setting must not be disclosed. A text instead of true states the condition. */
  secret?: true | string
  /** Values that are rejected in production, in Markdown. */
  production?: string
}

/**
 * Registry of setting descriptions. Call `schema.register(SETTINGS, …)` last on a schema, because zod stores the entry
 * for that exact object.
 */
export const SETTINGS = z.registry<SettingMeaning>()

/**
 * Token of an operator, such as the one for reading the metrics. The edge and the origin check it in the same way. It
 * needs at least 24 random bytes, because failed attempts are not rate limited.
 */
export const operatorTokenSetting = z
  .string()
  .regex(/^[A-Za-z0-9_-]{32,128}$/, 'expected 32 to 128 random characters of base64url')

export const UNKNOWN_COMMIT = 'unknown'

/** Git commit of the source code. */
export const commitSchema = z
  .string()
  .regex(
    /^([0-9a-f]{40}([0-9a-f]{24})?(-dirty)?|unknown)$/,
    'expected the hash of a commit, with -dirty after it if files were changed',
  )

export const LOG_LEVEL_MEANING =
  'the minimum level that is logged: `debug`, `info`, `warn` or `error`; `silent` disables logging'

export const logLevelSetting = z.enum(LOG_LEVEL_SETTINGS).default(LOG_LEVEL_DEFAULT)
