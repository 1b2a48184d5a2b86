import { backoffMs } from '../../shared/backoff.ts'
import { DAY_MS, HOUR_MS } from '../../shared/durations.ts'
import { rootCauseText } from '../db/root-cause-text.ts'
import { isEndPast } from '../deadline.ts'
import { type Sleep, withTimeout } from '../sleep.ts'
import type { ReplayBatch, ReplayBatchResult } from './replay-batch.ts'
import type { ReplayStore, StoredBatch, StoredReplay } from './replay-store.ts'

type ReplayRunnerOptions = {
  store: ReplayStore
  send: (ownerId: string, triggerId: string, batch: ReplayBatch) => Promise<ReplayBatchResult>
  now: () => number
  sleep: Sleep
  keepAlive: (work: Promise<void>) => void
  /** Called after a batch; must call `runDue` again. */
  sent: () => void
  log: (event: string, facts: Record<string, string | number>) => void
}

/** Longer than the largest batch takes: 50 runs, each of which is synced to disk. */
const CALL_TIMEOUT_MS = 30_000

/** Delay after a failed call, doubling up to a minute. After the last failure, the runs of the batch count as failed. */
const RETRY_MS = 2_000
const RETRY_MAX_MS = 60_000
const FAILURES_MAX = 8

const FULL_RETRY_MS = 15_000
const FULL_WAIT_MAX_MS = DAY_MS

/** Longest wait between two batches, with one replay per minute and a batch of 50 runs. */
const PACE_MAX_MS = HOUR_MS

/**
 * Sends the batches of bulk replays, one at a time for each replay. All state is stored before and after each batch, so a
 * replay continues after an eviction or a crash. A batch that was interrupted is sent again, which replays no run twice,
 * because the IDs of the new runs are derived (`replay-batch.ts`).
 */
export class ReplayRunner {
  readonly #options: ReplayRunnerOptions
  readonly #inFlight = new Set<number>()

  constructor(options: ReplayRunnerOptions) {
    this.#options = options
  }

  /** @returns the time of the next call; `undefined` if no replay is unfinished */
  runDue(now: number): number | undefined {
    const times = this.#options.store.unfinished().map((replay) => this.#advance(replay, now))
    const at = Math.min(...times)
    return Number.isFinite(at) ? at : undefined
  }

  #advance(replay: StoredReplay, now: number): number {
    const { store, keepAlive } = this.#options
    if (this.#inFlight.has(replay.number)) return now + CALL_TIMEOUT_MS
    const at = store.nextBatchAt(replay.number)
    if (at === undefined) {
      store.finish(replay.number, now)
      return Number.POSITIVE_INFINITY
    }
    if (replay.status === 'running' && !isEndPast(replay.nextAt, PACE_MAX_MS, now))
      return replay.nextAt
    const batch = store.dueBatch(replay.number, now)
    if (!batch) return at
    keepAlive(this.#send(replay, batch))
    return now + CALL_TIMEOUT_MS
  }

  async #send(replay: StoredReplay, batch: StoredBatch): Promise<void> {
    const { store, send, sleep, sent, now } = this.#options
    this.#inFlight.add(replay.number)
    try {
      store.markSending(batch)
      const { id: replayId, code, ownerId, status } = replay
      const { suffixes, triggerId } = batch
      const isCancelled = status === 'cancelled'
      const call = send(ownerId, triggerId, { replayId, suffixes, code, isCancelled })
      const result = await withTimeout(call, CALL_TIMEOUT_MS, sleep)
      if (!result) throw new Error('no response')
      const at = now()
      const retryAt = at + FULL_RETRY_MS
      store.recordResult(replay, batch, result, { now: at, retryAt, waitMaxMs: FULL_WAIT_MAX_MS })
    } catch (error) {
      this.#recordFailure(replay, batch, rootCauseText(error))
    } finally {
      this.#inFlight.delete(replay.number)
      sent()
    }
  }

  #recordFailure(replay: StoredReplay, batch: StoredBatch, reason: string): void {
    const { store, now, log } = this.#options
    const failures = batch.failures + 1
    log('replay.failed', { trigger: batch.triggerId, reason, failures })
    const retryAt =
      failures < FAILURES_MAX
        ? now() + backoffMs(batch.failures, RETRY_MS, RETRY_MAX_MS)
        : undefined
    store.recordFailure(replay, batch, retryAt)
  }
}
