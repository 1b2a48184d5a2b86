/**
 * Structured log lines on standard output: an event's name and its facts. Facts are ids, counts and names of
 * failures; a key, a body, a parameter or an action's text never is one.
 */
export type Log = (event: string, facts?: Record<string, string | number | boolean>) => void

/**
 * What a log may say of an error that nobody expected: its class and where it was thrown. Not its message, which
 * may quote what was sent.
 */
export function traceOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error
  const frames = (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line))
  return [error.name, ...frames.slice(0, FRAMES).map((frame) => frame.trim())].join(' ')
}

/** Enough to find the line, and few enough for one line of log. */
const FRAMES = 3

export function jsonLog(write: (line: string) => void, now: () => number): Log {
  return (event, facts = {}) =>
    write(`${JSON.stringify({ at: new Date(now()).toISOString(), event, ...facts })}\n`)
}
