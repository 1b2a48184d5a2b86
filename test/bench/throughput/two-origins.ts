/**
 * Two origin processes on one database behind a round-robin proxy, with one edge. The baseline is one of the processes
 * behind the same proxy, while the other one is idle.
 */
import { EXECUTORS_MIN_DEFAULT } from '../../../origin/actions/pool/options.ts'
import { startEdgeOf } from '../../system/edge-of-origins.ts'
import { startOrigins } from '../../system/origins.ts'
import { newOwner } from '../../system/owner.ts'
import { report } from '../report.ts'
import type { DurablePostgres } from '../durable-postgres.ts'
import { burst, createTriggers, TRIVIAL } from './loaded-stack.ts'

const TRIGGERS = 100
const WARM_UP_EVENTS_EACH = 5
const EVENTS_EACH = 20

export async function measureTwoOrigins(postgres: DurablePostgres): Promise<void> {
  const world = await startOrigins(2, {
    settings: {
      DATABASE_URL: await postgres.createDatabase('two_origins'),
      SVC_EXECUTORS_MIN: String(EXECUTORS_MIN_DEFAULT),
      SVC_EXECUTORS_MAX: '64',
    },
  })
  const { origins, lines } = world
  let edge: Awaited<ReturnType<typeof startEdgeOf>> | undefined
  try {
    edge = await startEdgeOf(world)
    edge.use(origins.slice(0, 1))
    const owner = await newOwner(edge)
    const triggers = await createTriggers(owner, TRIGGERS, TRIVIAL)
    const rate = async () => {
      await burst(owner, triggers, WARM_UP_EVENTS_EACH)
      return burst(owner, triggers, EVENTS_EACH)
    }
    const baseline = await rate()
    edge.use(origins)
    const value = await rate()
    if (!lines.some((line) => line.startsWith('b |') && line.includes('run.ended')))
      throw new Error('the second origin executed no run')
    report({
      bench: 'throughput',
      metric: 'runs_per_s_two_origins',
      value,
      unit: 'runs/s',
      baseline,
      ratio: value / baseline,
    })
  } finally {
    await edge?.close()
    await world.close()
  }
}
