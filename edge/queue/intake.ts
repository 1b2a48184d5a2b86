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
  /** `duplicate`: the firing was deduplicated, and the ID is that of its existing run. */
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
  /** Called after a batch is written. Must set the alarm in the same transaction. */
  inserted: () => void
  /** Called when a batch is on disk. */
  committed: () => void
}

export type Arrival = {
  /** JSON of `Firing`. */
  firing: string
  body: Uint8Array
  /** The run's own part of its ID; random if absent. If a run with this suffix exists, no second run is created. */
  suffix?: string
  /** The deduplication key of a webhook delivery. If it was used in the last 24 hours, no second run is created. */
  delivery?: string
  test?: true
  replayOf?: string
  /** The revision to execute; absent for the trigger's current one. */
  revision?: number
}

/** A firing with a deterministic run ID. */
export type DerivedFiring = {
  suffix: string
  /** Called only if the firing is accepted. */
  arrival: () => Pick<Arrival, 'firing' | 'body'>
}

type Unqueued = Omit<ArrivedRun, 'queuedAt'>

/** The `Retry-After` of a full queue. */
const FULL_RETRY_S = 60

/** Accepts firings of every kind into the queue, within the limits of the trigger. */
export class Intake {
  readonly #options: IntakeOptions
  readonly #commits: GroupCommit<Unqueued>
  /**
   * Firings with a deduplication key that are being written to disk. A repeated firing waits for the result of the
   * first.
   */
  readonly #onTheWay = new Map<string, Promise<Accepted>>()
  /** The number of runs of each revision that are being written to disk. */
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

  /** Queues a run for a firing. The run is on disk when this resolves to `queued`. */
  async accept(arrival: Arrival): Promise<Accepted> {
    const { state } = this.#options
    const trigger = state.current
    if (!trigger) return { state: 'unknown' }
    if (!trigger.enabled) return { state: 'disabled' }
    const identity = identityOf(arrival)
    if (identity === undefined) return this.#queue(trigger, arrival)
    // Checked before the limits: a repeated firing gets the same answer as the first, even if the queue is full.
    const onTheWay = this.#onTheWay.get(identity)
    if (onTheWay) return asDuplicate(await onTheWay)
    const known = this.#onDisk(arrival)
    if (known !== undefined)
      return { state: 'queued', runId: trigger.triggerId + known, duplicate: true }
    const queued = this.#queue(trigger, arrival).finally(() => this.#onTheWay.delete(identity))
    this.#onTheWay.set(identity, queued)
    return queued
  }

  /** Returns the suffix of the run that this firing already has. */
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
      // The trigger was deleted during the write.
      if (!state.current) return { state: 'unknown' }
      throw error
    } finally {
      this.#holdRevision(revision, -1)
    }
    return { state: 'queued', runId: trigger.triggerId + suffix }
  }

  /**
   * Returns true if a run that is being written to disk executes this revision. Such a revision must not be deleted.
   */
  isOnTheWay(revision: number): boolean {
    return this.#revisions.has(revision)
  }

  #holdRevision(revision: number, change: 1 | -1): void {
    const count = (this.#revisions.get(revision) ?? 0) + change
    if (count > 0) this.#revisions.set(revision, count)
    else this.#revisions.delete(revision)
  }

  /**
   * Queues runs and calls `note` in one transaction, for firings without a waiting client. A firing that already has a
   * run creates no second one. If the queue has no room for a firing, all later firings are rejected too.
   * @param note called with the number of accepted firings, duplicates included
   * @returns the number of accepted firings, duplicates included
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

  /** Returns a time that never decreases, even if the clock is set back: pages by time rely on this order. */
  #queuedAt(): number {
    if (this.#lastQueuedAt === 0) this.#lastQueuedAt = this.#options.store.lastQueuedAt()
    this.#lastQueuedAt = Math.max(this.#lastQueuedAt, this.#options.now())
    return this.#lastQueuedAt
  }
}

/** Returns the key that identifies repetitions of a firing; `undefined` if it is never repeated. */
function identityOf({ suffix, delivery }: Arrival): string | undefined {
  if (delivery !== undefined) return `delivery ${delivery}`
  return suffix === undefined ? undefined : `run ${suffix}`
}

/** A duplicate gets the same refusal as the original. */
function asDuplicate(original: Accepted): Accepted {
  return original.state === 'queued' ? { ...original, duplicate: true } : original
}
