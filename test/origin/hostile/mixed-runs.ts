import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type {
  ActionPool,
  Capability,
  RunRequest,
  ActionResult,
} from '../../../origin/actions/run.ts'
import { createActionPool, type PoolEvent } from '../../../origin/actions/pool.ts'
import { residentMib } from '../../system/stack-processes.ts'
import { request } from '../actions/sandbox.ts'
import { CANARY_KEYS } from './canary.ts'
import { BENIGN_KINDS } from './benign-runs.ts'
import { HOSTILE_CLASSES } from './classes.ts'
import { sourceOf, wrongAbout } from './outcome.ts'
import { seededRandom } from './seeded-random.ts'

/** One run in twenty is hostile. */
const HOSTILE_SHARE = 0.05

/** Short, so that a campaign has time for many. A hostile program that needs longer times out. */
const HOSTILE_WALL_MS = 60

/** Number of concurrent runs: one per executor, and some that wait. */
const AT_ONCE = 6

/** Number of memory samples. */
const SAMPLES = 40

export type Sample = { run: number; executorsRssMib: number; heapMib: number }

export type Campaign = {
  counts: Record<string, number>
  /** Runs with an unexpected outcome. */
  wrong: string[]
  /** Exits of executors that no endless built-in explains. */
  unexplained: string[]
  /** Number of executors that the pool's watchdog killed. `replaced` counts replacements because of memory. */
  exits: number
  replaced: number
  samples: Sample[]
  runsPerSecond: number
}

/**
 * Runs benign programs of every kind mixed with hostile ones, on two executors that are never replaced for their age.
 * @param hostileShare fraction of all runs, from 0 to 1
 */
export async function mixedRuns(
  runs: number,
  seed: number,
  hostileShare = HOSTILE_SHARE,
): Promise<Campaign> {
  const random = seededRandom(seed)
  const events: PoolEvent[] = []
  const options = { min: 2, max: 2, runsPerExecutor: Infinity }
  const pool = createActionPool({ ...options, onEvent: (event) => events.push(event) })
  await pool.ready()
  const campaign = new MixedRuns(pool, random, hostileShare)
  const samples: Sample[] = []
  const startedAt = performance.now()
  for (let part = 0; part < SAMPLES; part++) {
    await campaign.some(Math.ceil(runs / SAMPLES))
    samples.push({ run: campaign.begun, executorsRssMib: rssMib(events), heapMib: heapMib() })
  }
  const seconds = (performance.now() - startedAt) / 1000
  await pool.close()
  const reasons = events.flatMap((event) => (event.type === 'executor_ended' ? [event.reason] : []))
  const count = (of: string) => reasons.filter((reason) => reason === of).length
  const overdue = 'its run exceeded the deadline and it did not respond'
  const worn = 'replaced'
  const known = [overdue, worn, 'the pool is closed']
  return {
    counts: campaign.counts,
    wrong: campaign.wrong,
    unexplained: reasons.filter((reason) => !known.includes(reason)),
    exits: count(overdue),
    replaced: count(worn),
    samples,
    runsPerSecond: campaign.begun / seconds,
  }
}

class MixedRuns {
  readonly counts: Record<string, number> = {}
  readonly wrong: string[] = []
  begun = 0
  readonly #pool: ActionPool
  readonly #random: () => number
  readonly #hostileShare: number
  readonly #hostile = Object.values(HOSTILE_CLASSES).flat()

  constructor(pool: ActionPool, random: () => number, hostileShare: number) {
    this.#pool = pool
    this.#random = random
    this.#hostileShare = hostileShare
  }

  async some(runs: number): Promise<void> {
    const until = this.begun + runs
    const one = async () => {
      while (this.begun < until) await this.#one(this.begun++)
    }
    await Promise.all(Array.from({ length: AT_ONCE }, one))
  }

  #one(number: number): Promise<void> {
    return this.#random() < this.#hostileShare ? this.#hostileRun() : this.#benignRun(number)
  }

  async #benignRun(number: number): Promise<void> {
    const kind = this.#pick(BENIGN_KINDS)
    const { code, params, keys, isRight } = kind.run(number)
    const result = await this.#run(code, { params: JSON.stringify(params) }, keys)
    this.#count(kind.name)
    if (!isRight(result)) this.wrong.push(`${kind.name}: ${JSON.stringify(result).slice(0, 500)}`)
  }

  async #hostileRun(): Promise<void> {
    const program = this.#pick(this.#hostile)
    const { params = '{}', wallMs } = program
    const limits = { params, wallMs: Math.min(wallMs, HOSTILE_WALL_MS) }
    const result = await this.#run(sourceOf(program), limits, CANARY_KEYS)
    this.#count('hostile')
    if (result.kind === 'failed' && result.code === 'action_timeout') return
    const wrong = wrongAbout(program, result)
    if (wrong !== undefined) this.wrong.push(wrong)
  }

  #run(code: string, changes: Partial<RunRequest>, keys: Capability): Promise<ActionResult> {
    const account = `account ${Math.floor(this.#random() * 8)}`
    return this.#pool.run(request(code, { account, ...changes }), keys)
  }

  #pick<T>(all: readonly T[]): T {
    return all[Math.floor(this.#random() * all.length)] as T
  }

  #count(kind: string): void {
    this.counts[kind] = (this.counts[kind] ?? 0) + 1
  }
}

/** Returns the total memory of the running executors. */
function rssMib(events: readonly PoolEvent[]): number {
  const ended = new Set(
    events.flatMap((event) => (event.type === 'executor_ended' ? [event.pid] : [])),
  )
  const living = events.flatMap((event) =>
    event.type === 'executor_ready' && !ended.has(event.pid) ? [event.pid] : [],
  )
  return living.reduce<number>((sum, pid) => sum + residentMib(pid!), 0)
}

function heapMib(): number {
  setFlagsFromString('--expose-gc')
  ;(runInNewContext('gc') as () => void)()
  return process.memoryUsage().heapUsed / 1024 ** 2
}
