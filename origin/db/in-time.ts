import { setTimeout as sleepFor } from 'node:timers/promises'

/** Resolves after a delay in milliseconds, or rejects when the signal is aborted. */
export type Sleep = (ms: number, signal?: AbortSignal) => Promise<void>

export const sleep: Sleep = (ms, signal) => sleepFor(ms, undefined, signal && { signal })

/**
 * Returns the result of a query if it arrives in time, so that a hanging connection does not delay a retry on another
 * one. The query itself is not canceled.
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
