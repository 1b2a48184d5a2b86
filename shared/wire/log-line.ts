/** Console output of an action, in the format of the executor, the origin and the run history. */
export const LOG_LEVELS = ['log', 'info', 'warn', 'error', 'debug'] as const

export type LogLine = {
  level: (typeof LOG_LEVELS)[number]
  /** Milliseconds since the action started. */
  at_ms: number
  text: string
}
