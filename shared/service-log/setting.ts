import { z } from 'zod'
import { LOG_LEVEL_DEFAULT, LOG_LEVEL_SETTINGS } from './levels.ts'

/** Same meaning on the edge and the origin. */
export const LOG_LEVEL_MEANING =
  'the minimum level that is logged: `debug`, `info`, `warn` or `error`; `silent` disables logging'

export const logLevelSetting = z.enum(LOG_LEVEL_SETTINGS).default(LOG_LEVEL_DEFAULT)
