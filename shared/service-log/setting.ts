import { z } from 'zod'
import { LOG_LEVEL_DEFAULT, LOG_LEVEL_SETTINGS } from './levels.ts'

/** Description of the setting `SVC_LOG_LEVEL`, which has the same meaning on the edge and the origin. */
export const LOG_LEVEL_MEANING =
  'the minimum level that is logged: `debug`, `info`, `warn` or `error`; `silent` disables logging'

export const logLevelSetting = z.enum(LOG_LEVEL_SETTINGS).default(LOG_LEVEL_DEFAULT)
