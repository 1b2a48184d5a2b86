import type { Context } from 'hono'
import type { RunRecord } from '../../shared/wire/trigger.ts'
import type { AppEnv } from './app-env.ts'
import { queueOfRun } from './owned-trigger.ts'

/**
 * Limits one call to a Durable Object, which cannot detect that a client has disconnected and would continue to wait.
 */
const QUESTION_MS = 10_000

// Consecutive calls that may fail because a Durable Object restarts.
const BROKEN_MAX = 5
const BROKEN_PAUSE_MS = 200

type Wanted = { ownerId: string; runId: string }

/** Resolves once the run has finished, or after `waitMs`. Retries if the Durable Object restarts meanwhile. */
export async function runWithin(
  c: Context<AppEnv>,
  { ownerId, runId }: Wanted,
  waitMs: number,
): Promise<RunRecord | undefined> {
  const { now } = c.var.services
  const until = now() + waitMs
  let broken = 0
  for (;;) {
    const left = Math.max(0, until - now())
    try {
      const queue = await queueOfRun(c, runId)
      const asked = queue.run(ownerId, runId, Math.min(left, QUESTION_MS))
      const run = (await asked) as RunRecord | undefined
      if (!run || run.finished_at !== null || left <= QUESTION_MS) return run
      broken = 0
    } catch (error) {
      if (waitMs === 0 || ++broken > BROKEN_MAX || !hasBegunAgain(error)) throw error
      await new Promise((resolve) => setTimeout(resolve, BROKEN_PAUSE_MS))
    }
  }
}

function hasBegunAgain(error: unknown): boolean {
  if (!(error instanceof Error) || Reflect.get(error, 'overloaded') === true) return false
  return (
    Reflect.get(error, 'durableObjectReset') === true || Reflect.get(error, 'retryable') === true
  )
}
