import { runInDurableObject } from 'cloudflare:test'
import { drizzle } from 'drizzle-orm/durable-sqlite'
import { QueueCancellation, type EndedRun } from '../../../edge/queue/queue-cancellation.ts'
import { Dispatcher } from '../../../edge/queue/dispatcher.ts'
import { LiveRuns } from '../../../edge/queue/live-runs.ts'
import { RESULT } from '../../../edge/queue/run-result.ts'
import { RunKeys } from '../../../edge/queue/run-keys.ts'
import { type ImmediateStarts, RunStore } from '../../../edge/queue/run-store.ts'
import * as schema from '../../../edge/queue/schema.ts'
import { StoredStarts } from '../../../edge/queue/start-window.ts'
import { PendingReports } from '../../../edge/reports/pending-reports.ts'
import { type TriggerChange, TriggerState } from '../../../edge/queue/trigger-state.ts'
import { OriginUnavailableError } from '../../../edge/trust/origin-unavailable-error.ts'
import type { SealedOrigin } from '../../../edge/trust/sealed-origin.ts'
import { encodeBase64url } from '../../../shared/encoding/base64url.ts'
import { TRIGGER_ID_CHARACTERS } from '../../../shared/ids.ts'
import type { ExecuteResponse, OutcomesResponse } from '../../../shared/wire/sealed.ts'
import { CID, queueOf, random, someOwner, success, unknownTriggerId } from '../app.ts'

export type Call = {
  suffix: string
  attempt: number
  /** Time on the clock, and on the watch. */
  at: number
  watch: number
  waitMs: number
  code: string
  /** The sealed usage key that was sent, in base64url. */
  key: string
  retryLost: boolean
}
export type Known = Omit<Extract<OutcomesResponse, { state: 'known' }>, 'state'>

/** The origin's behavior in a simulation. By default, every run succeeds immediately. */
export type Behaviour = {
  execute: (call: Call) => ExecuteResponse | Promise<ExecuteResponse>
  outcomes: (suffixes: string[]) => Known | Promise<Known>
}

export const endedWith = (response: unknown): ExecuteResponse => ({
  state: 'ended',
  ...success(response),
})
export const refused = (
  status: number,
  retry_after_s?: number,
  reason = 'by_script',
): ExecuteResponse => ({
  state: 'refused',
  status,
  error: 'by_script',
  reason,
  message: 'No.',
  fix: 'None.',
  ...(retry_after_s === undefined ? {} : { retry_after_s }),
})
export const away = () => Promise.reject(new OriginUnavailableError('simulated'))
export const never = <T>() => new Promise<T>(() => {})

type Row = {
  suffix: string
  status: string
  attempt: number
  next_attempt_at: number | null
  waiting_for: string | null
  usage_key: number | null
}

/**
 * Runs a dispatcher with the real storage of a Durable Object, a clock that the test controls, and a scripted origin.
 */
export async function simulate(
  over: {
    maxRunsPerMinute?: number
    concurrency?: number
    enabled?: boolean
    /** `TriggerOptions` as JSON. */
    options?: string
  },
  test: (sim: Simulation) => Promise<void>,
): Promise<void> {
  const id = await unknownTriggerId()
  const stub = queueOf(id)
  const trigger = {
    triggerId: id,
    ownerId: (await someOwner()).id,
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
    version: 1,
  }
  await runInDurableObject(stub, async (instance, state) => {
    await instance.create(trigger)
    // The object's own dispatcher must not use the storage.
    await state.storage.deleteAlarm()
    await test(new Simulation(state.storage, over))
  })
}

export class Simulation {
  readonly calls: Call[] = []
  /** Number of runs in each request. */
  readonly requests: number[] = []
  readonly polls: string[][] = []
  readonly ended: EndedRun[] = []
  /** Runs that the origin reports as running. */
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
  random = 0.5
  claimsRestoredAt: number | undefined
  mostExecuting = 0
  queued = 0
  /** A monotonic watch in milliseconds, and the offset of the clock from it. */
  watch = 10_000_000
  #ahead = 0
  #executing = 0
  #lives = 0
  /** In watch time, because timers are independent of the clock. */
  #alarm = Number.POSITIVE_INFINITY
  readonly state: TriggerState
  /** The storage as the dispatcher sees it. */
  readonly #failing: DurableObjectStorage
  #failAt: number | undefined

  constructor(storage: DurableObjectStorage, over: Partial<typeof schema.trigger.$inferSelect>) {
    this.storage = storage
    this.#failing = failing(storage, () => {
      if (this.#failAt === undefined || this.#failAt-- > 0) return
      this.#failAt = undefined
      throw new StorageFailed()
    })
    const db = drizzle(storage, { schema })
    this.store = new RunStore(storage, db)
    if (Object.keys(over).length > 0) db.update(schema.trigger).set(over).run()
    this.state = new TriggerState(storage, db)
    this.state.load()
    this.dispatcher = this.#life()
  }

  /** The time on the clock. */
  get now(): number {
    return this.watch + this.#ahead
  }

  /** Milliseconds until the alarm, or Infinity without one. */
  get alarmIn(): number {
    return this.#alarm - this.watch
  }

  /** Moves the clock forward or back without passing time. */
  setClock(ms: number): void {
    this.#ahead += ms
  }

  /**
   * Adds runs to the queue, as the intake does.
   * @param key key of the runs, if the trigger is keyed
   * @returns their suffixes
   */
  async add(count: number, key?: string | null): Promise<string[]> {
    const suffixes = Array.from({ length: count }, () => encodeBase64url(random(12)))
    const firing = JSON.stringify({ source: 'webhook', receivedAt: this.now, headers: {} })
    const { revision } = this.state.current!
    const rest = { revision, queuedAt: this.now, firing, body: new Uint8Array() }
    const runs = suffixes.map((suffix) => ({ suffix, ...rest, key }))
    let starts: ImmediateStarts | undefined
    this.#guarded(() => (starts = this.dispatcher.immediateStarts()))
    const started = this.store.insert(runs, starts)
    this.queued += count
    this.#guarded(() => this.dispatcher.adopt(started, starts?.at ?? 0))
    this.#guarded(() => this.dispatcher.pump())
    await settled()
    return suffixes
  }

  /** Lets one statement of the dispatcher fail after the given number of others, or none if undefined. */
  failAt(statements: number | undefined): void {
    this.#failAt = statements
  }

  /** The response of an origin that accepts a run and is still executing it. */
  slow(suffix: string): ExecuteResponse {
    this.running.add(suffix)
    return { state: 'running' }
  }

  async addSlow(): Promise<string> {
    this.behaviour.execute = ({ suffix }) => this.slow(suffix)
    const [suffix] = await this.add(1)
    return suffix!
  }

  /** Passes time. Alarms ring when they are due. */
  async advance(ms: number): Promise<void> {
    const end = this.watch + ms
    while (this.#alarm <= end) {
      this.watch = Math.max(this.watch, this.#alarm)
      this.#alarm = Number.POSITIVE_INFINITY
      this.#guarded(() => this.dispatcher.runDue())
      await settled()
    }
    this.watch = end
  }

  async patch(change: TriggerChange): Promise<void> {
    this.state.change(change, this.now)
    this.#guarded(() => this.dispatcher.runDue())
    await settled()
  }

  /** Kills the object and starts it again with its stored state. Its alarm stays. */
  async restart(): Promise<void> {
    this.dispatcher = this.#life()
    this.#guarded(() => this.dispatcher.pump())
    await settled()
  }

  /** Returns the stored result of the only finished run. */
  result(): { response: unknown; error: string | null } {
    const [result, ...others] = this.results()
    if (!result || others.length > 0) throw new Error('one run has ended, they say')
    return result
  }

  /** Returns the stored results of finished runs, in queue order. */
  results(): { response: unknown; error: string | null }[] {
    const rows = this.storage.sql.exec<{ result: string }>(
      `SELECT ${RESULT} AS result FROM runs WHERE finished_at IS NOT NULL ORDER BY sequence`,
    )
    return rows.toArray().map(({ result }) => JSON.parse(result))
  }

  rows(): Row[] {
    const columns = 'suffix, status, attempt, next_attempt_at, waiting_for, usage_key'
    return this.storage.sql.exec<Row>(`SELECT ${columns} FROM runs ORDER BY sequence`).toArray()
  }

  statuses = () => this.rows().map((row) => row.status)

  /** Handles a storage failure as the object's alarm does. */
  #guarded(work: () => void): void {
    try {
      work()
    } catch (error) {
      if (!(error instanceof StorageFailed)) throw error
      this.#alarm = Math.min(this.#alarm, this.watch + 1_000)
    }
  }

  #life(): Dispatcher {
    const life = ++this.#lives
    // A killed incarnation receives no more responses.
    const heard = async <T>(answer: T | Promise<T>): Promise<T> => {
      try {
        return await answer
      } finally {
        if (life !== this.#lives) await never()
      }
    }
    const suffixOf = (runId: string) => runId.slice(TRIGGER_ID_CHARACTERS)
    const origin: Pick<SealedOrigin, 'executeRuns' | 'outcomes'> = {
      executeRuns: async ({ credential, runs, wait_ms }, onResponse) => {
        this.requests.push(runs.length)
        this.mostExecuting = Math.max(this.mostExecuting, ++this.#executing)
        try {
          await Promise.all(
            runs.map(async ({ id, attempt, retryLost, source: code }) => {
              const key = credential.sealed_usage_key
              const suffix = suffixOf(id)
              const times = { at: this.now, watch: this.watch, waitMs: wait_ms }
              const call = { suffix, attempt, code, key, retryLost, ...times }
              this.calls.push(call)
              onResponse(id, await heard(this.behaviour.execute(call)))
            }),
          )
        } catch (error) {
          // If one run breaks the connection, others of the same request may have been executed.
          throw runs.length === 1 ? error : new OriginUnavailableError('the connection broke')
        } finally {
          this.#executing--
        }
      },
      outcomes: async ({ run_ids }, signal) => {
        const suffixes = run_ids.map(suffixOf)
        this.polls.push(suffixes)
        const aborted = new Promise<never>((_, reject) =>
          signal.addEventListener('abort', () => reject(new OriginUnavailableError('aborted'))),
        )
        const known = await heard(Promise.race([this.behaviour.outcomes(suffixes), aborted]))
        const full = (of: string[]) => of.map((suffix) => this.state.row!.triggerId + suffix)
        const ended = Object.entries(known.ended).map(([suffix, outcome]) => [
          this.state.row!.triggerId + suffix,
          outcome,
        ])
        const rest = { running: full(known.running), unknown: full(known.unknown) }
        return { state: 'known', ended: Object.fromEntries(ended), ...rest }
      },
    }
    const starts = new StoredStarts(this.#failing.sql)
    const reports = new PendingReports(this.#failing.sql)
    const keys = new RunKeys(this.#failing.sql, this.state)
    return new Dispatcher({
      store: this.store,
      live: new LiveRuns(this.#failing, starts, reports, keys),
      starts,
      cancellation: new QueueCancellation(this.#failing, reports, keys),
      origin,
      claimsRestoredAt: () => this.claimsRestoredAt,
      state: this.state,
      reports,
      now: () => this.now,
      random: () => this.random,
      keepAlive: (work) => void work.catch(() => {}),
      armBy: (at) => (this.#alarm = Math.min(this.#alarm, at - this.#ahead)),
      queueChanged: (change) => (this.queued += change),
      runEnded: (run) => this.ended.push(run),
      log: () => {},
    })
  }
}

export class StorageFailed extends Error {}

/** Wraps storage so that any statement may fail. */
function failing(storage: DurableObjectStorage, before: () => void): DurableObjectStorage {
  const exec: SqlStorage['exec'] = (query, ...values) => {
    before()
    return storage.sql.exec(query, ...values)
  }
  const transactionSync = <T>(work: () => T) => storage.transactionSync(work)
  return { sql: { exec }, transactionSync } as unknown as DurableObjectStorage
}

/** Resolves after all work that does not wait for a clock. */
export async function settled(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 0))
}
