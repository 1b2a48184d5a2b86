import { encodeBase64url } from '../../shared/base64url.ts'
import { RUN_SUFFIX_BYTES } from '../../shared/ids.ts'
import { QUEUED_BYTES_MAX } from '../../shared/limits.ts'
import type { Deliveries } from './deliveries.ts'
import { GroupCommit } from './group-commit.ts'
import type { LiveCounts } from './live-counts.ts'
import type { TriggerRow } from './records.ts'
import type { ArrivedRun, RunStore } from './run-store.ts'
import type { TriggerState } from './trigger-state.ts'

export type Accepted =
  /** `duplicate`: the run that this firing had already. */
  | { state: 'queued'; runId: string; duplicate?: true }
  | { state: 'unknown' }
  | { state: 'disabled' }
  | { state: 'full'; retryAfterS: number }

export type IntakeOptions = {
  state: TriggerState
  store: RunStore
  deliveries: Deliveries
  live: LiveCounts
  now: () => number
  random: (bytes: number) => Uint8Array
  transaction: (work: () => void) => void
  sync: () => Promise<void>
  /** A batch has been written: the alarm has to be set in the same transaction. */
  inserted: () => void
  /** A batch is on disk. */
  committed: () => void
}

/** A firing on its way into the queue. */
export type Arrival = {
  /** JSON of `Firing`. */
  firing: string
  body: Uint8Array
  /** The run's own part of its id; random where it is absent. One that is known already makes no second run. */
  suffix?: string
  /** What tells a webhook's delivery from others: one that is known from the last 24 hours makes no second run. */
  delivery?: string
  test?: true
  /** The id of the run that this one repeats. */
  replayOf?: string
  /** The revision that it executes, where that is not the trigger's. */
  revision?: number
}

/** A firing whose run has the id that it always would have. */
export type DerivedFiring = {
  suffix: string
  /** Made only of one that is taken. */
  arrival: () => Pick<Arrival, 'firing' | 'body'>
}

type Unqueued = Omit<ArrivedRun, 'queuedAt'>

/** A full queue is worth another try after this. */
const FULL_RETRY_S = 60

/** Takes firings of every kind into the queue, as far as the trigger's caps allow. */
export class Intake {
  readonly #options: IntakeOptions
  readonly #commits: GroupCommit<Unqueued>
  /** Firings that are told from others, on their way to the disk: a second one waits for the first one's answer. */
  readonly #onTheWay = new Map<string, Promise<Accepted>>()
  /** Revisions of runs on their way to the disk, and of how many. */
  readonly #revisions = new Map<number, number>()
  #lastQueuedAt = 0

  constructor(options: IntakeOptions) {
    this.#options = options
    this.#commits = new GroupCommit<Unqueued>({
      insert: (batch) => {
        this.#insert(batch)
        options.inserted()
      },
      sync: options.sync,
      committed: options.committed,
    })
  }

  /** Queues a run for a firing. It is on disk when this returns `queued`. */
  async accept(arrival: Arrival): Promise<Accepted> {
    const { state } = this.#options
    const trigger = state.current
    if (!trigger) return { state: 'unknown' }
    if (!trigger.enabled) return { state: 'disabled' }
    const identity = identityOf(arrival)
    if (identity === undefined) return this.#queue(trigger, arrival)
    // Before the caps: what was taken once is answered as taken, also while the queue is full.
    const onTheWay = this.#onTheWay.get(identity)
    if (onTheWay) return asDuplicate(await onTheWay)
    const known = this.#onDisk(arrival)
    if (known !== undefined)
      return { state: 'queued', runId: trigger.triggerId + known, duplicate: true }
    const queued = this.#queue(trigger, arrival).finally(() => this.#onTheWay.delete(identity))
    this.#onTheWay.set(identity, queued)
    return queued
  }

  /** The suffix of the run that this firing has already. */
  #onDisk({ suffix, delivery }: Arrival): string | undefined {
    const { deliveries, now, store } = this.#options
    if (delivery !== undefined) return deliveries.runOf(delivery, now())
    return suffix !== undefined && store.has(suffix) ? suffix : undefined
  }

  async #queue(trigger: TriggerRow, arrival: Arrival): Promise<Accepted> {
    const { state, live, random } = this.#options
    const { firing, body } = arrival
    if (live.queued >= trigger.maxQueuedRuns || live.bytes + body.length > QUEUED_BYTES_MAX)
      return { state: 'full', retryAfterS: FULL_RETRY_S }
    const suffix = arrival.suffix ?? encodeBase64url(random(RUN_SUFFIX_BYTES))
    const { revision = trigger.revision } = arrival
    live.count(1, body.length)
    this.#holdRevision(revision, 1)
    try {
      const { delivery, replayOf, test } = arrival
      const marks = { delivery, replayOf, test }
      await this.#commits.add({ suffix, revision, firing, body, ...marks })
    } catch (error) {
      live.count(-1, body.length)
      // Deleted while it waited for the disk.
      if (!state.current) return { state: 'unknown' }
      throw error
    } finally {
      this.#holdRevision(revision, -1)
    }
    return { state: 'queued', runId: trigger.triggerId + suffix }
  }

  /** Whether a run on its way to the disk executes this revision: it must not be deleted meanwhile. */
  isOnTheWay(revision: number): boolean {
    return this.#revisions.has(revision)
  }

  #holdRevision(revision: number, change: 1 | -1): void {
    const count = (this.#revisions.get(revision) ?? 0) + change
    if (count > 0) this.#revisions.set(revision, count)
    else this.#revisions.delete(revision)
  }

  /**
   * Queues runs at once, in one transaction with what else is noted of them: for firings that nobody waits for. A
   * run that is known already makes no second one. What is taken of them are the first: where the queue has no room for
   * one, none behind it is taken.
   * @param note is told how many were taken, those that were known among them
   * @returns that number
   */
  queueNow(
    firings: readonly DerivedFiring[],
    note: (taken: number) => void,
    isKnown = (suffix: string) => this.#options.store.has(suffix),
  ): number {
    const { state, live, transaction } = this.#options
    const { revision, maxQueuedRuns } = state.current!
    const runs = new Map<string, Unqueued>()
    let bytes = live.bytes
    let taken = 0
    for (const { suffix, arrival } of firings) {
      if (!runs.has(suffix) && !isKnown(suffix)) {
        if (live.queued + runs.size >= maxQueuedRuns) break
        const { firing, body } = arrival()
        if (bytes + body.length > QUEUED_BYTES_MAX) break
        bytes += body.length
        runs.set(suffix, { suffix, revision, firing, body })
      }
      taken++
    }
    transaction(() => {
      this.#insert([...runs.values()])
      note(taken)
    })
    for (const { body } of runs.values()) live.count(1, body.length)
    return taken
  }

  #insert(runs: readonly Unqueued[]): void {
    if (runs.length === 0) return
    const queuedAt = this.#queuedAt()
    this.#options.store.insert(runs.map((run) => ({ ...run, queuedAt })))
  }

  /** Never before an earlier run's, also when the clock is set back: pages by time search for their ends. */
  #queuedAt(): number {
    if (this.#lastQueuedAt === 0) this.#lastQueuedAt = this.#options.store.lastQueuedAt()
    this.#lastQueuedAt = Math.max(this.#lastQueuedAt, this.#options.now())
    return this.#lastQueuedAt
  }
}

/** By what two firings are the same, or `undefined` where each one is its own. */
function identityOf({ suffix, delivery }: Arrival): string | undefined {
  if (delivery !== undefined) return `delivery ${delivery}`
  return suffix === undefined ? undefined : `run ${suffix}`
}

/** A duplicate is refused as its original was. */
function asDuplicate(original: Accepted): Accepted {
  return original.state === 'queued' ? { ...original, duplicate: true } : original
}
