const SERVICE_LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const
export type ServiceLogLevel = (typeof SERVICE_LOG_LEVELS)[number]

/** Values of `SVC_LOG_LEVEL`: the lowest level that is logged, or `silent`. */
export const LOG_LEVEL_SETTINGS = [...SERVICE_LOG_LEVELS, 'silent'] as const
export type LogLevelSetting = (typeof LOG_LEVEL_SETTINGS)[number]

/** Default log level, which logs one line per request, and other notable events. */
export const LOG_LEVEL_DEFAULT = 'info' satisfies LogLevelSetting

export function isLogged(level: ServiceLogLevel, setting: LogLevelSetting): boolean {
  return LOG_LEVEL_SETTINGS.indexOf(level) >= LOG_LEVEL_SETTINGS.indexOf(setting)
}
