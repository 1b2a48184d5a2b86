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
  /** `duplicate` is set if the firing was deduplicated. `runId` is then the ID of the existing run. */
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
  /** Called after a batch of runs is written. Must set the alarm in the same transaction. */
  inserted: () => void
  /** Called when a batch of runs is on disk. */
  committed: () => void
}

export type Arrival = {
  /** `Firing` as JSON. */
  firing: string
  body: Uint8Array
  /**
   * Part of the run ID that follows the trigger ID. Random if absent. If a run with this suffix already exists, no
   * second run is created.
   */
  suffix?: string
  /** Deduplication key of a webhook delivery. If it was used in the last 24 hours, no second run is created. */
  delivery?: string
  test?: true
  replayOf?: string
  /** Defaults to the trigger's current revision. */
  revision?: number
}

/** A firing with a deterministic run ID. */
export type DerivedFiring = {
  suffix: string
  /** Called only if the firing does not have a run yet. */
  arrival: () => Pick<Arrival, 'firing' | 'body'>
}

type Unqueued = Omit<ArrivedRun, 'queuedAt'>

/** `Retry-After` for senders while the queue is full. */
const FULL_RETRY_S = 60

export class Intake {
  readonly #options: IntakeOptions
  readonly #commits: GroupCommit<Unqueued>
  /**
   * Firings that are being written to disk, by deduplication key. A repeated firing waits for the result of the first.
   */
  readonly #onTheWay = new Map<string, Promise<Accepted>>()
  /** Number of runs that are being written to disk, by revision. */
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

  /** If the result is `queued`, the run is already on disk. */
  async accept(arrival: Arrival): Promise<Accepted> {
    const { state } = this.#options
    const trigger = state.current
    if (!trigger) return { state: 'unknown' }
    if (!trigger.enabled) return { state: 'disabled' }
    const identity = identityOf(arrival)
    if (identity === undefined) return this.#queue(trigger, arrival)
    // Duplicates are detected before the limits are checked. A repeated firing gets the same response as the first,
    // even if the queue is full.
    const onTheWay = this.#onTheWay.get(identity)
    if (onTheWay) return asDuplicate(await onTheWay)
    const known = this.#onDisk(arrival)
    if (known !== undefined)
      return { state: 'queued', runId: trigger.triggerId + known, duplicate: true }
    const queued = this.#queue(trigger, arrival).finally(() => this.#onTheWay.delete(identity))
    this.#onTheWay.set(identity, queued)
    return queued
  }

  /** ID suffix of the run that an identical earlier firing created. `undefined` if no such run is on disk. */
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
      // The trigger was deleted while the run was being written.
      if (!state.current) return { state: 'unknown' }
      throw error
    } finally {
      this.#holdRevision(revision, -1)
    }
    return { state: 'queued', runId: trigger.triggerId + suffix }
  }

  /** True if a run that is being written uses the revision. The revision must not be deleted then. */
  isOnTheWay(revision: number): boolean {
    return this.#revisions.has(revision)
  }

  #holdRevision(revision: number, change: 1 | -1): void {
    const count = (this.#revisions.get(revision) ?? 0) + change
    if (count > 0) this.#revisions.set(revision, count)
    else this.#revisions.delete(revision)
  }

  /**
   * Queues runs for firings without a waiting client, and calls `note` in the same transaction. A firing that already
   * has a run does not create a second one. If the queue has no room for a firing, that firing and all later ones are
   * rejected.
   * @param note called with the number of accepted firings
   * @returns the number of accepted firings, including duplicates
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

  /** Never decreases, even if the clock is set back, because paging by time relies on this order. */
  #queuedAt(): number {
    if (this.#lastQueuedAt === 0) this.#lastQueuedAt = this.#options.store.lastQueuedAt()
    this.#lastQueuedAt = Math.max(this.#lastQueuedAt, this.#options.now())
    return this.#lastQueuedAt
  }
}

/** Deduplication key. `undefined` if the firing is not deduplicated. */
function identityOf({ suffix, delivery }: Arrival): string | undefined {
  if (delivery !== undefined) return `delivery ${delivery}`
  return suffix === undefined ? undefined : `run ${suffix}`
}

/** If the original firing was rejected, the duplicate is rejected in the same way. */
function asDuplicate(original: Accepted): Accepted {
  return original.state === 'queued' ? { ...original, duplicate: true } : original
}
