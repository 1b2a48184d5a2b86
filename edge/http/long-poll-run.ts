import type { Context } from 'hono'
import type { RunRecord } from '../../shared/wire/trigger.ts'
import { sleep } from '../sleep.ts'
import type { AppEnv } from './app-env.ts'
import { queueOfRun } from './trigger-lookup.ts'

/**
 * Timeout of one call to a Durable Object. A Durable Object cannot detect that a client has disconnected, and would
 * continue to wait.
 */
const POLL_TIMEOUT_MS = 10_000

// Limits retries of calls that fail because the Durable Object restarts.
const RETRIES_MAX = 5
const RETRY_DELAY_MS = 200

/** Retries if the Durable Object restarts in the meantime. */
export async function longPollRun(
  c: Context<AppEnv>,
  { ownerId, runId }: { ownerId: string; runId: string },
  waitMs: number,
): Promise<RunRecord | undefined> {
  const { now } = c.var.services
  const deadline = now() + waitMs
  let failures = 0
  for (;;) {
    const remainingMs = Math.max(0, deadline - now())
    try {
      const queue = await queueOfRun(c, runId)
      const pending = queue.run(ownerId, runId, Math.min(remainingMs, POLL_TIMEOUT_MS))
      const run = (await pending) as RunRecord | undefined
      if (!run || run.finished_at !== null || remainingMs <= POLL_TIMEOUT_MS) return run
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
