/** Retries for long-running waits, so that a network outage does not end them. */
import type { SvcError } from '../failures.ts'
import { ServerFailure, ServiceUnavailable, TooManyRequests } from '../failures/by-status.ts'
import { NetworkFailed, NotTheApi } from '../failures/on-the-way.ts'
import type { TriggersParts } from './ask.ts'

/** Delay after a request has exhausted its own retries. Doubles each time. */
const FIRST_MS = 1_000
/** Bounds the time until a waiting caller notices that the network is back. */
const LAST_MS = 30_000

/**
 * Retries until there is a response or a permanent error.
 * @param ask a read, which has its own retries
 * @throws the signal's reason, or an error of `ask` that retrying would not change
 */
export async function patiently<Answer>(
  ask: () => Promise<Answer>,
  { sleep, random }: Pick<TriggersParts, 'sleep' | 'random'>,
  signal: AbortSignal | undefined,
): Promise<Answer> {
  for (let waitMs = FIRST_MS; ; waitMs = Math.min(waitMs * 2, LAST_MS)) {
    try {
      return await ask()
    } catch (error) {
      signal?.throwIfAborted()
      if (!isPause(error)) throw error
      await sleep(jittered(waitMs, random), signal)
    }
  }
}

/** Returns between half and all of the delay. Jitter avoids a thundering herd. */
export function jittered(milliseconds: number, random: TriggersParts['random']): number {
  const [byte = 0] = random(1)
  return milliseconds * (0.5 + byte / 510)
}

/** Returns true for temporary errors: no response, an intermediary's 5xx, or the service's own temporary rejections. */
function isPause(error: unknown): error is SvcError {
  if (error instanceof NotTheApi) return (error.status ?? 0) >= 500
  return (
    error instanceof NetworkFailed ||
    error instanceof ServiceUnavailable ||
    error instanceof TooManyRequests ||
    error instanceof ServerFailure
  )
}
