/** Retries reads during a network outage, so that the outage does not end a long-running wait. */
import type { SvcError } from '../failures/svc-error.ts'
import { ServerFailure, ServiceUnavailable, TooManyRequests } from '../failures/by-status.ts'
import { NetworkFailed, NotTheApi } from '../failures/transport-errors.ts'
import type { TriggersParts } from './send-request.ts'

/** Delay after a request has exhausted its own retries. The delay doubles with each further retry. */
const FIRST_MS = 1_000
/** Maximum delay, which bounds the time until a waiting caller detects that the network is available again. */
const LAST_MS = 30_000

/**
 * @param read a read, which has its own retries
 * @throws the signal's reason, or an error of `ask` that is not temporary
 */
export async function retryWhileUnavailable<Answer>(
  read: () => Promise<Answer>,
  { sleep, random }: Pick<TriggersParts, 'sleep' | 'random'>,
  signal: AbortSignal | undefined,
): Promise<Answer> {
  for (let waitMs = FIRST_MS; ; waitMs = Math.min(waitMs * 2, LAST_MS)) {
    try {
      return await read()
    } catch (error) {
      signal?.throwIfAborted()
      if (!isTemporaryFailure(error)) throw error
      await sleep(jittered(waitMs, random), signal)
    }
  }
}

/** Returns a random delay between half of the given delay and all of it, to avoid a thundering herd. */
export function jittered(milliseconds: number, random: TriggersParts['random']): number {
  const [byte = 0] = random(1)
  return milliseconds * (0.5 + byte / 510)
}

/** Returns true for a lost response, a 5xx of an intermediary, or a temporary rejection by the service. */
function isTemporaryFailure(error: unknown): error is SvcError {
  if (error instanceof NotTheApi) return (error.status ?? 0) >= 500
  return (
    error instanceof NetworkFailed ||
    error instanceof ServiceUnavailable ||
    error instanceof TooManyRequests ||
    error instanceof ServerFailure
  )
}
