import { z } from 'zod'
import { LOG_LEVEL_DEFAULT, LOG_LEVEL_SETTINGS } from './levels.ts'

/** `SVC_LOG_LEVEL`, with the same meaning on both sides. */
export const LOG_LEVEL_MEANING =
  'the least that is written into the log, `debug`, `info`, `warn` or `error`; `silent` writes nothing'

export const logLevelSetting = z.enum(LOG_LEVEL_SETTINGS).default(LOG_LEVEL_DEFAULT)
