/**
 * Measures the main job of the product on a whole stack with default settings: a webhook is accepted with 202, its
 * action runs in a sandbox of the origin, and the signed outcome is stored. The stack has no load shedding, enough
 * credits, and triggers with the highest `max_runs_per_minute`. The baseline is a job queue on the same Postgres server,
 * without a sandbox.
 */
import { type DurablePostgres, startDurablePostgres } from './durable-postgres.ts'
import { JobQueue } from './throughput/job-queue.ts'
import { measureLatency } from './throughput/latency.ts'
import { burst, LoadedStack, TRIVIAL } from './throughput/loaded-stack.ts'
import { measureMemory, measureOneTrigger, measureRuns, measureSigning } from './throughput/runs.ts'
import { measureSealed } from './throughput/sealed.ts'
import { measureStarts } from './throughput/start.ts'
import { measureTwoOrigins } from './throughput/two-origins.ts'

const TRIGGERS = 100
const WARM_UP_EVENTS_EACH = 10

const PHASES = {
  runs: async (postgres: DurablePostgres) => {
    const jobs = await JobQueue.start(postgres)
    try {
      await onStack(postgres, async (stack) => {
        measureMemory(stack, 'idle')
        const triggers = await stack.createTriggers(TRIGGERS, TRIVIAL)
        await burst(stack.owner, triggers, WARM_UP_EVENTS_EACH)
        await measureRuns(stack, jobs, triggers)
        await measureOneTrigger(stack)
        await measureSigning(stack)
        measureMemory(stack, 'after_load')
      })
    } finally {
      await jobs.stop()
    }
  },
  latency: (postgres: DurablePostgres) =>
    onStack(postgres, async (stack) => {
      const triggers = await stack.createTriggers(TRIGGERS, TRIVIAL)
      await burst(stack.owner, triggers, WARM_UP_EVENTS_EACH)
      await measureLatency(stack.owner, triggers)
    }),
  sealed: measureSealed,
  start: measureStarts,
  'two-origins': measureTwoOrigins,
} satisfies Record<string, (postgres: DurablePostgres) => Promise<void>>

/** @param phase measures only this phase. By default, all phases run, each on a new Postgres server */
export async function throughput(phase?: string): Promise<void> {
  const chosen = Object.entries(PHASES).filter(([name]) => phase === undefined || name === phase)
  if (chosen.length === 0)
    throw new Error(`unknown phase ${phase}: expected ${Object.keys(PHASES).join(', ')}`)
  for (const [, measure] of chosen) {
    const postgres = await startDurablePostgres()
    try {
      await measure(postgres)
    } finally {
      await postgres.close()
    }
  }
}

async function onStack(
  postgres: DurablePostgres,
  measure: (stack: LoadedStack) => Promise<void>,
): Promise<void> {
  const stack = await LoadedStack.start(postgres)
  try {
    await measure(stack)
  } finally {
    await stack.stop()
  }
}
