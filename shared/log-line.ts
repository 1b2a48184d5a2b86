/** Console output of an action, as the executor writes it, the origin keeps it and a history shows it. */
export const LOG_LEVELS = ['log', 'info', 'warn', 'error', 'debug'] as const

export type LogLine = {
  level: (typeof LOG_LEVELS)[number]
  /** Milliseconds since the action began. */
  at_ms: number
  text: string
}
