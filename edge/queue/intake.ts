import { encodeBase64url } from '../../shared/base64url.ts'
import { RUN_SUFFIX_BYTES } from '../../shared/ids.ts'
import { QUEUED_BYTES_MAX } from '../../shared/limits.ts'
import { GroupCommit } from './group-commit.ts'
import type { LiveCounts } from './live-counts.ts'
import type { ArrivedRun, RunStore } from './run-store.ts'
import type { TriggerState } from './trigger-state.ts'

export type Accepted =
  | { state: 'queued'; runId: string }
  | { state: 'unknown' }
  | { state: 'disabled' }
  | { state: 'full'; retryAfterS: number }

export type IntakeOptions = {
  state: TriggerState
  store: RunStore
  live: LiveCounts
  now: () => number
  random: (bytes: number) => Uint8Array
  sync(): Promise<void>
  /** A batch has been written: the alarm has to be set in the same transaction. */
  inserted(): void
  /** A batch is on disk. */
  committed(): void
}

/** A firing on its way into the queue. */
export type Arrival = {
  /** JSON of `Firing`. */
  firing: string
  body: Uint8Array
  /** The run's own part of its id; random where it is absent. One that is known already makes no second run. */
  suffix?: string
  test?: true
  /** The id of the run that this one repeats. */
  replayOf?: string
}

/** A full queue is worth another try after this. */
const FULL_RETRY_S = 60

/** Takes firings of every kind into the queue, as far as the trigger's caps allow. */
export class Intake {
  readonly #options: IntakeOptions
  readonly #commits: GroupCommit<ArrivedRun>
  #lastQueuedAt = 0

  constructor(options: IntakeOptions) {
    this.#options = options
    this.#commits = new GroupCommit<ArrivedRun>({
      insert: (batch) => {
        options.store.insert(batch)
        options.inserted()
      },
      sync: options.sync,
      committed: options.committed,
    })
  }

  /** Queues a run for a firing. It is on disk when this returns `queued`. */
  async accept(arrival: Arrival): Promise<Accepted> {
    const { state, live, random } = this.#options
    const trigger = state.current
    if (!trigger) return { state: 'unknown' }
    if (!trigger.enabled) return { state: 'disabled' }
    const { firing, body } = arrival
    if (live.queued >= trigger.maxQueuedRuns || live.bytes + body.length > QUEUED_BYTES_MAX)
      return { state: 'full', retryAfterS: FULL_RETRY_S }
    const suffix = arrival.suffix ?? encodeBase64url(random(RUN_SUFFIX_BYTES))
    live.count(1, body.length)
    try {
      const { revision } = trigger
      const marks = { test: arrival.test, replayOf: arrival.replayOf }
      await this.#commits.add({
        ...{ suffix, revision, firing, body, ...marks },
        queuedAt: this.#queuedAt(),
      })
    } catch (error) {
      live.count(-1, body.length)
      // Deleted while it waited for the disk.
      if (!state.current) return { state: 'unknown' }
      throw error
    }
    return { state: 'queued', runId: trigger.triggerId + suffix }
  }

  /** Never before an earlier run's, also when the clock is set back: pages by time search for their ends. */
  #queuedAt(): number {
    if (this.#lastQueuedAt === 0) this.#lastQueuedAt = this.#options.store.lastQueuedAt()
    this.#lastQueuedAt = Math.max(this.#lastQueuedAt, this.#options.now())
    return this.#lastQueuedAt
  }
}
