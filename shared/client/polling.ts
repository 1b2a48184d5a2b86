import { POLL_FIRST_MS, POLL_WAIT_MAX_MS } from './limits.ts'
import type { Surroundings } from './surroundings.ts'

export type Polling = {
  /** From the first call on; the last failure is thrown when it is over. */
  timeoutMs: number
  signal: AbortSignal | undefined
  /** Whether a failure says "not yet"; with the wait that it asks for. */
  notYet: (error: unknown) => { atLeastMs: number } | undefined
}

/** Calls until it succeeds, with waits that grow, while what it throws says that it is too early. */
export async function polled<Answer>(
  call: () => Promise<Answer>,
  { timeoutMs, signal, notYet }: Polling,
  { now, sleep }: Surroundings,
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
