/** Levels of an action's console output, in the format of the executor, the origin and the run history. */
export const LOG_LEVELS = ['log', 'info', 'warn', 'error', 'debug'] as const

export type LogLine = {
  level: (typeof LOG_LEVELS)[number]
  /** Time of the output, in milliseconds since the action started. */
  at_ms: number
  text: string
}
