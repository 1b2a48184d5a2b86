/** How much a line of a service's log matters, the least first. */
export const SERVICE_LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const
export type ServiceLogLevel = (typeof SERVICE_LOG_LEVELS)[number]

/** What `SVC_LOG_LEVEL` may be: the lowest level that is written, or `silent` for nothing at all. */
export const LOG_LEVEL_SETTINGS = [...SERVICE_LOG_LEVELS, 'silent'] as const
export type LogLevelSetting = (typeof LOG_LEVEL_SETTINGS)[number]

/** What is written where the setting says nothing: one line for each request, and what happens beside. */
export const LOG_LEVEL_DEFAULT = 'info' satisfies LogLevelSetting

/** Whether lines of a level are written where this one is set. */
export function isWritten(level: ServiceLogLevel, setting: LogLevelSetting): boolean {
  return LOG_LEVEL_SETTINGS.indexOf(level) >= LOG_LEVEL_SETTINGS.indexOf(setting)
}
