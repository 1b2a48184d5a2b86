import { setTimeout as sleep } from 'node:timers/promises'

/**
 * A query's answer, if it comes in time: a connection that hangs must not hold up the next try on another one.
 * The query itself is not stopped.
 * @throws {Error} after `timeoutMs`
 */
export async function inTime<Answer>(
  timeoutMs: number,
  query: PromiseLike<Answer>,
): Promise<Answer> {
  const timer = new AbortController()
  const timeout = sleep(timeoutMs, undefined, { signal: timer.signal }).then(() => {
    throw new Error('the database did not answer in time')
  })
  timeout.catch(() => {})
  try {
    return await Promise.race([query, timeout])
  } finally {
    timer.abort()
  }
}
