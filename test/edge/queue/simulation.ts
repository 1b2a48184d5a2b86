import { runInDurableObject } from 'cloudflare:test'
import { drizzle } from 'drizzle-orm/durable-sqlite'
import { Dispatcher } from '../../../edge/queue/dispatcher.ts'
import { RunStore } from '../../../edge/queue/run-store.ts'
import * as schema from '../../../edge/queue/schema.ts'
import { TriggerState } from '../../../edge/queue/trigger-state.ts'
import { OriginAway, type SealedOrigin } from '../../../edge/trust/sealed-origin.ts'
import { encodeBase64url } from '../../../shared/base64url.ts'
import { TRIGGER_ID_CHARACTERS } from '../../../shared/ids.ts'
import type { ExecuteAnswer, OutcomesAnswer } from '../../../shared/wire/sealed.ts'
import { CID, queueOf, random, success, unknownTriggerId } from '../app.ts'

export type Call = { suffix: string; attempt: number; at: number; waitMs: number }
export type Known = Omit<Extract<OutcomesAnswer, { state: 'known' }>, 'state'>

/** What the origin does in a simulation; by default every run succeeds at once. */
export type Behaviour = {
  execute(call: Call): ExecuteAnswer | Promise<ExecuteAnswer>
  outcomes(suffixes: string[]): Known | Promise<Known>
}

export const endedWith = (response: unknown): ExecuteAnswer => ({
  state: 'ended',
  ...success(response),
})
export const refused = (status: number, retry_after_s?: number): ExecuteAnswer => ({
  state: 'refused',
  status,
  error: 'by_script',
  message: 'No.',
  fix: 'None.',
  ...(retry_after_s === undefined ? {} : { retry_after_s }),
})
export const away = () => Promise.reject(new OriginAway('simulated'))
export const never = <T>() => new Promise<T>(() => {})

type Row = { suffix: string; status: string; attempt: number; next_attempt_at: number | null }

/** A dispatcher over the real storage of an object, with a clock that the test moves and an origin by script. */
export async function simulate(
  over: { maxRunsPerMinute?: number; concurrency?: number; enabled?: boolean },
  test: (sim: Simulation) => Promise<void>,
): Promise<void> {
  const id = await unknownTriggerId()
  const stub = queueOf(id)
  const trigger = {
    triggerId: id,
    ownerId: 'owner',
    name: 'simulated',
    kind: 'webhook' as const,
    config: {},
    options: {},
    enabled: true,
    actionCode: 'code',
    actionCid: CID,
    defaultParams: {},
    maxRunsPerMinute: 6_000,
    maxQueuedRuns: 10_000,
    sealedUsageKey: random(32),
  }
  await runInDurableObject(stub, async (instance, state) => {
    await instance.create(trigger)
    await test(new Simulation(state.storage, over))
  })
}

export class Simulation {
  readonly calls: Call[] = []
  readonly polls: string[][] = []
  /** Runs that the origin says are under way. */
  readonly running = new Set<string>()
  readonly storage: DurableObjectStorage
  readonly store: RunStore
  readonly behaviour: Behaviour = {
    execute: () => endedWith('done'),
    outcomes: (suffixes) => {
      const unknown = suffixes.filter((suffix) => !this.running.has(suffix))
      const running = suffixes.filter((suffix) => this.running.has(suffix))
      return unknown.length === 0 ? never() : { ended: {}, running, unknown }
    },
  }
  dispatcher: Dispatcher
  now = 1_000_000
  random = 0.5
  mostExecuting = 0
  queued = 0
  #executing = 0
  #alarm = Number.POSITIVE_INFINITY
  readonly state: TriggerState

  constructor(storage: DurableObjectStorage, over: Partial<typeof schema.trigger.$inferSelect>) {
    this.storage = storage
    const db = drizzle(storage, { schema })
    this.store = new RunStore(storage, db)
    if (Object.keys(over).length > 0) db.update(schema.trigger).set(over).run()
    this.state = new TriggerState(storage, db)
    this.state.load()
    this.dispatcher = this.#life()
  }

  /** Puts runs into the queue, as the intake does. @returns their suffixes */
  async add(count: number): Promise<string[]> {
    const suffixes = Array.from({ length: count }, () => encodeBase64url(random(12)))
    const firing = JSON.stringify({ source: 'webhook', receivedAt: this.now, headers: {} })
    const rest = { revision: 1, queuedAt: this.now, firing, body: new Uint8Array() }
    this.store.insert(suffixes.map((suffix) => ({ suffix, ...rest })))
    this.queued += count
    this.dispatcher.pump()
    await settled()
    return suffixes
  }

  /** What an origin answers that takes a run and is not done with it. */
  slow(suffix: string): ExecuteAnswer {
    this.running.add(suffix)
    return { state: 'running' }
  }

  async addSlow(): Promise<void> {
    this.behaviour.execute = ({ suffix }) => this.slow(suffix)
    await this.add(1)
  }

  /** Moves the clock; alarms on the way fire at their time. */
  async advance(ms: number): Promise<void> {
    const end = this.now + ms
    while (this.#alarm <= end) {
      this.now = Math.max(this.now, this.#alarm)
      this.#alarm = Number.POSITIVE_INFINITY
      this.dispatcher.tend()
      await settled()
    }
    this.now = end
  }

  /** The object is killed and begins again with what is on disk; its alarm stays. */
  async restart(): Promise<void> {
    this.dispatcher = this.#life()
    this.dispatcher.pump()
    await settled()
  }

  /** What is stored of how the only run that ended did. */
  result(): { response: unknown; error: string | null } {
    const { result } = this.storage.sql.exec<{ result: string }>('SELECT result FROM results').one()
    return JSON.parse(result)
  }

  rows(): Row[] {
    const columns = 'suffix, status, attempt, next_attempt_at'
    return this.storage.sql.exec<Row>(`SELECT ${columns} FROM runs ORDER BY sequence`).toArray()
  }

  statuses = () => this.rows().map((row) => row.status)

  #life(): Dispatcher {
    const suffixOf = (runId: string) => runId.slice(TRIGGER_ID_CHARACTERS)
    const origin: Pick<SealedOrigin, 'execute' | 'outcomes'> = {
      execute: async ({ run, wait_ms }) => {
        const { id, attempt } = run!
        const call = { suffix: suffixOf(id), attempt, at: this.now, waitMs: wait_ms }
        this.calls.push(call)
        this.mostExecuting = Math.max(this.mostExecuting, ++this.#executing)
        try {
          return await this.behaviour.execute(call)
        } finally {
          this.#executing--
        }
      },
      outcomes: async ({ run_ids }, signal) => {
        const suffixes = run_ids.map(suffixOf)
        this.polls.push(suffixes)
        const aborted = new Promise<never>((_, reject) =>
          signal.addEventListener('abort', () => reject(new OriginAway('aborted'))),
        )
        const known = await Promise.race([this.behaviour.outcomes(suffixes), aborted])
        const full = (of: string[]) => of.map((suffix) => this.state.row!.triggerId + suffix)
        const ended = Object.entries(known.ended).map(([suffix, outcome]) => [
          this.state.row!.triggerId + suffix,
          outcome,
        ])
        const rest = { running: full(known.running), unknown: full(known.unknown) }
        return { state: 'known', ended: Object.fromEntries(ended), ...rest }
      },
    }
    return new Dispatcher({
      store: this.store,
      origin: origin as SealedOrigin,
      state: this.state,
      now: () => this.now,
      random: () => this.random,
      keepAlive: (work) => void work.catch(() => {}),
      armBy: (at) => (this.#alarm = Math.min(this.#alarm, at)),
      queueChanged: (change) => (this.queued += change),
      log: () => {},
    })
  }
}

/** Everything that waits for no clock has happened. */
export async function settled(): Promise<void> {
  for (let i = 0; i < 3; i++) await new Promise((resolve) => setTimeout(resolve, 0))
}
