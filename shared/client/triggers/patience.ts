/** For what goes on for minutes: a pause of the network is waited out, and is not its end. */
import type { SvcError } from '../failures.ts'
import { ServerFailure, ServiceUnavailable, TooManyRequests } from '../failures/by-status.ts'
import { NetworkFailed, NotTheApi } from '../failures/on-the-way.ts'
import type { TriggersParts } from './ask.ts'

/** Of the first wait after a question has failed with all its retries; each next is twice as long. */
const FIRST_MS = 1_000
/** Somebody waits for this: half a minute after the network is back, he hears of it. */
const LAST_MS = 30_000

/**
 * Asks until there is an answer, or a refusal that stays.
 * @param ask a read, with the retries of any other
 * @throws the signal's reason; what `ask` throws and waiting would not change
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

/** Between half of it and all: those who lost the same connection do not come back together. */
export function jittered(milliseconds: number, random: TriggersParts['random']): number {
  const [byte = 0] = random(1)
  return milliseconds * (0.5 + byte / 510)
}

/** No answer, or one of something on the way; what the service itself refuses for now. */
function isPause(error: unknown): error is SvcError {
  if (error instanceof NotTheApi) return (error.status ?? 0) >= 500
  return (
    error instanceof NetworkFailed ||
    error instanceof ServiceUnavailable ||
    error instanceof TooManyRequests ||
    error instanceof ServerFailure
  )
}
