/**
 * Structured log lines on standard output: an event's name and its facts. Facts are ids, counts and names of
 * failures; a key, a body, a parameter or an action's text never is one.
 */
export type Log = (event: string, facts?: Record<string, string | number | boolean>) => void

export function jsonLog(write: (line: string) => void, now: () => number): Log {
  return (event, facts = {}) =>
    write(`${JSON.stringify({ at: new Date(now()).toISOString(), event, ...facts })}\n`)
}
