import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { until } from '../../system/owner.ts'
import type { BenchEdge, BenchOwner } from '../edge.ts'
import { post } from '../load.ts'
import { median, percentile, report } from '../report.ts'
import { crowd, transferOf, watching } from './transfers.ts'
import type { RunningChain } from './watched-node.ts'

const SAMPLES = 200
/** Not a multiple of the poll interval, so that blocks arrive at varying offsets from polls. */
const APART_MS = 230

type Started = { params: { event: { transaction_hash: string } }; at: number; runId: string }

/**
 * Measures from the node's response that contains a log to its run: until it is queued, according to the run, and until
 * the origin receives its execution request. All on one machine with one clock.
 */
export async function logToQueued(
  edge: BenchEdge,
  owner: BenchOwner,
  { chain, node }: RunningChain,
): Promise<void> {
  const { id } = await owner.create(watching('ethereum', 1))
  const hashes: string[] = []
  for (let n = 0; n < SAMPLES; n++) {
    const transaction = chain.transaction([transferOf(1, n)])
    hashes.push(transaction.hash)
    chain.mine([...crowd(n, 50), transaction])
    await sleep(APART_MS)
  }
  const started = await until(30, 'all are started', async () => {
    const mine = edge.origin.seen.filter(({ runId }) => runId.startsWith(id))
    return mine.length >= SAMPLES ? (mine as unknown as Started[]) : undefined
  })
  const queuedAt = new Map(
    (await owner.runs(id)).map(({ id: run, queued_at }) => [run, Date.parse(queued_at)]),
  )
  const told = ({ params }: Started) => node.told.get(params.event.transaction_hash)!
  const queued = started.map((run) => queuedAt.get(run.runId)! - told(run))
  const begun = started.map((run) => run.at - told(run))
  const floor = (await bareInserts(edge)).latenciesMs
  for (const [metric, values] of [
    ['log_to_queued', queued],
    ['log_to_started', begun],
  ] as const)
    for (const [name, of] of [
      ['ms', median],
      ['p99_ms', (all: readonly number[]) => percentile(all, 0.99)],
    ] as const) {
      const [value, baseline] = [of(values), of(floor)]
      const names = { bench: 'chain', metric: `${metric}_${name}`, unit: 'ms' }
      report({ ...names, value, baseline, ratio: value / baseline })
    }
}

/** Baseline: one RPC to an object and its durable insert. */
function bareInserts(edge: BenchEdge) {
  const name = randomBytes(16).toString('hex')
  return post({
    url: () => `${edge.baselineUrl}/webhook/${name}`,
    body: Buffer.from('{}'),
    headers: {},
    requests: SAMPLES,
    inFlight: 1,
  })
}
