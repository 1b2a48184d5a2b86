import { POLL_FIRST_MS, POLL_WAIT_MAX_MS } from './limits.ts'
import type { RuntimeEnvironment } from './runtime-environment.ts'

type Polling = {
  /** Time after which the last error is thrown, in milliseconds. */
  timeoutMs: number
  signal: AbortSignal | undefined
  /** Returns the minimum delay before the next attempt if the call should be retried. Undefined for any other error. */
  notYet: (error: unknown) => { atLeastMs: number } | undefined
}

export async function pollUntilReady<Answer>(
  call: () => Promise<Answer>,
  { timeoutMs, signal, notYet }: Polling,
  { now, sleep }: RuntimeEnvironment,
): Promise<Answer> {
  const begunAt = now()
  let sleptMs = 0
  for (let nextMs = POLL_FIRST_MS; ; nextMs = Math.min(nextMs * 2, POLL_WAIT_MAX_MS)) {
    signal?.throwIfAborted()
    try {
      return await call()
    } catch (error) {
      const early = notYet(error)
      const leftMs = timeoutMs - Math.max(sleptMs, now() - begunAt)
      if (!early || leftMs <= 0) throw error
      const waitMs = Math.min(Math.max(nextMs, early.atLeastMs), leftMs)
      await sleep(waitMs, signal)
      sleptMs += waitMs
    }
  }
}
