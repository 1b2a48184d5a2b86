import { setTimeout as sleepFor } from 'node:timers/promises'

/** Ends after so many milliseconds, or rejects when the signal is aborted. */
export type Sleep = (ms: number, signal?: AbortSignal) => Promise<void>

/** By this process' own timers. */
export const sleep: Sleep = (ms, signal) => sleepFor(ms, undefined, signal && { signal })

/**
 * A query's answer, if it comes in time: a connection that hangs must not hold up the next try on another one.
 * The query itself is not stopped.
 * @throws {Error} after `timeoutMs`
 */
export async function inTime<Answer>(
  timeoutMs: number,
  query: PromiseLike<Answer>,
  sleeping: Sleep = sleep,
): Promise<Answer> {
  const timer = new AbortController()
  const timeout = sleeping(timeoutMs, timer.signal).then(() => {
    throw new Error('the database did not answer in time')
  })
  timeout.catch(() => {})
  try {
    return await Promise.race([query, timeout])
  } finally {
    timer.abort()
  }
}
