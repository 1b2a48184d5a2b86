import { setTimeout as sleepFor } from 'node:timers/promises'

/** Rejects when the signal is aborted. */
export type Sleep = (ms: number, signal?: AbortSignal) => Promise<void>

export const abortableSleep: Sleep = (ms, signal) => sleepFor(ms, undefined, signal && { signal })

/**
 * A hanging connection thus does not delay a retry over another one. The query itself is not canceled.
 * @throws {Error} after `timeoutMs`
 */
export async function withTimeLimit<Answer>(
  timeoutMs: number,
  query: PromiseLike<Answer>,
  sleep: Sleep = abortableSleep,
): Promise<Answer> {
  const timer = new AbortController()
  const timeout = sleep(timeoutMs, timer.signal).then(() => {
    throw new Error('the database did not respond in time')
  })
  timeout.catch(() => {})
  try {
    return await Promise.race([query, timeout])
  } finally {
    timer.abort()
  }
}
