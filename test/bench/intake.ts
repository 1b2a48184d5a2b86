/**
 * Measures a webhook up to its durable 202, compared with a bare object RPC with one durable insert: the same runner,
 * as many objects, alternating windows. The origin defers dispatch for an hour.
 */
import { randomBytes } from 'node:crypto'
import { scriptSource } from '../doubles/script.ts'
import { benchOwner, startEdge } from './edge.ts'
import { type LoadResult, post } from './load.ts'
import { median, report } from './report.ts'

/** Posts to one trigger before switching to the next, so that an object's table has the same size in every window. */
const POSTS_PER_TRIGGER = 5_000
const WINDOWS = 7
const WARM_UP = 1_000
const ALONE = { requests: 1_500, inFlight: 1 }
const CROWD = { requests: 5_000, inFlight: 64 }
/** Smaller, because the database is slow. */
const D1_CROWD = { requests: 2_000, inFlight: 64 }

const body = Buffer.from(JSON.stringify({ ref: 'refs/heads/main', after: 'a'.repeat(40) }))
const headers = {
  'content-type': 'application/json',
  'user-agent': 'bench',
  'x-github-event': 'push',
  'x-hub-signature-256': `sha256=${'0'.repeat(64)}`,
}
const heldBack = scriptSource([
  { refuse: { status: 503, error: 'service_unavailable', retry_after_s: 3_600 } },
])

/** Provides the target URLs: a new object every `POSTS_PER_TRIGGER` posts. */
class Targets {
  readonly #make: () => Promise<string>
  #url = ''
  #left = 0

  constructor(make: () => Promise<string>) {
    this.#make = make
  }

  /** Returns a URL for a window of this many posts. */
  async take(posts: number): Promise<string> {
    if (posts > this.#left) {
      this.#url = await this.#make()
      this.#left = POSTS_PER_TRIGGER
    }
    this.#left -= posts
    return this.#url
  }
}

export async function intake(): Promise<void> {
  const edge = await startEdge()
  try {
    const owner = await benchOwner(edge.url)
    const ours = new Targets(
      async () => (await owner.create({ action_code: heldBack })).webhook_url,
    )
    const bare = (kind: string) =>
      new Targets(async () => `${edge.baselineUrl}/${kind}/${randomBytes(16).toString('hex')}`)
    await measure(ours, bare('webhook'))
    await measureAgainstD1(ours, bare('d1'))
  } finally {
    await edge.close()
  }
}

const window = async (targets: Targets, load: { requests: number; inFlight: number }) => {
  const target = await targets.take(load.requests)
  return post({ url: () => target, body, headers, ...load })
}

async function measure(ours: Targets, floor: Targets): Promise<void> {
  for (const targets of [floor, ours]) await window(targets, { requests: WARM_UP, inFlight: 16 })
  const alone = await inTurn((targets) => window(targets, ALONE), ours, floor)
  const p50 = (results: LoadResult[]) => median(results.map((result) => median(result.latenciesMs)))
  report({
    bench: 'intake',
    metric: 'intake_p50_ms',
    value: p50(alone.ours),
    unit: 'ms',
    baseline: p50(alone.floor),
    ratio: median(
      alone.ours.map(
        (result, i) => median(result.latenciesMs) / median(alone.floor[i]!.latenciesMs),
      ),
    ),
  })
  const crowd = await inTurn((targets) => window(targets, CROWD), ours, floor)
  reportRate('intake_rate_64', crowd)
}

/** Compares with an intake that writes to a database. */
async function measureAgainstD1(ours: Targets, d1: Targets): Promise<void> {
  await window(d1, { requests: WARM_UP, inFlight: 16 })
  reportRate('intake_rate_64_vs_d1', await inTurn((targets) => window(targets, D1_CROWD), ours, d1))
}

type InTurn = { ours: LoadResult[]; floor: LoadResult[] }

function reportRate(metric: string, { ours, floor }: InTurn): void {
  const rate = (results: LoadResult[]) => median(results.map((result) => result.perSecond))
  report({
    bench: 'intake',
    metric,
    value: rate(ours),
    unit: 'requests/s',
    baseline: rate(floor),
    ratio: median(ours.map((result, i) => result.perSecond / floor[i]!.perSecond)),
  })
}

/** Alternates windows of both, so that other load on the machine affects both. */
async function inTurn(
  measured: (targets: Targets) => Promise<LoadResult>,
  ours: Targets,
  floor: Targets,
): Promise<InTurn> {
  const results: InTurn = { ours: [], floor: [] }
  for (let n = 0; n < WINDOWS; n++) {
    results.floor.push(await measured(floor))
    results.ours.push(await measured(ours))
  }
  return results
}
