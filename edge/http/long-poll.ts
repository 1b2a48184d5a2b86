import { sleep } from '../sleep.ts'

/**
 * Timeout of one call to a Durable Object. A Durable Object cannot detect that a client has disconnected, and would
 * continue to wait.
 */
const POLL_TIMEOUT_MS = 10_000

// Limits retries of calls that fail because the Durable Object restarts.
const RETRIES_MAX = 5
const RETRY_DELAY_MS = 200

/**
 * Calls a Durable Object until the result is final or the time has passed. Retries if the Durable Object restarts in
 * the meantime.
 * @param poll waits for at most `ms`
 */
export async function longPoll<Result>(
  { now, waitMs }: { now: () => number; waitMs: number },
  poll: (ms: number) => Promise<Result>,
  isFinal: (result: Result) => boolean,
): Promise<Result> {
  const deadline = now() + waitMs
  let failures = 0
  for (;;) {
    const remainingMs = Math.max(0, deadline - now())
    try {
      const result = await poll(Math.min(remainingMs, POLL_TIMEOUT_MS))
      if (isFinal(result) || remainingMs <= POLL_TIMEOUT_MS) return result
      failures = 0
    } catch (error) {
      if (waitMs === 0 || ++failures > RETRIES_MAX || !isObjectRestart(error)) throw error
      await sleep(RETRY_DELAY_MS)
    }
  }
}

function isObjectRestart(error: unknown): boolean {
  if (!(error instanceof Error) || Reflect.get(error, 'overloaded') === true) return false
  return ['durableObjectReset', 'retryable'].some((mark) => Reflect.get(error, mark) === true)
}
