import { groupBy } from '../../shared/group-by.ts'
import {
  IDEMPOTENT_RESPONSE_RETENTION_MS,
  REPLAY_RUNS_MAX,
  REPLAYS_RUNNING_MAX,
} from '../../shared/limits.ts'
import { countFailedRuns, replayedAmong, selectFailedRuns } from './failed-run-queries.ts'
import type { ReplayStore, RunReference, StoredReplay } from './replay-store.ts'
import type {
  ReplayProgress,
  ReplaySelection,
  ReplayStart,
  SelectedRuns,
  StartResult,
} from './replays-object.ts'
import type { RequestIdentity } from './request-identity.ts'

/** Selects the runs of bulk replays, and starts and cancels the replays. */
export class Replays {
  readonly #sql: SqlStorage
  readonly #store: ReplayStore

  constructor(sql: SqlStorage, store: ReplayStore) {
    this.#sql = sql
    this.#store = store
  }

  preview(selection: ReplaySelection): SelectedRuns {
    const { runs, alreadyReplayed } = this.#select(selection)
    const byTrigger = groupBy(runs, ({ triggerId }) => triggerId)
    return {
      triggers: [...byTrigger].map(([triggerId, { length }]) => ({ triggerId, runs: length })),
      alreadyReplayed,
      isTooLarge: runs.length > REPLAY_RUNS_MAX,
    }
  }

  /** @returns `undefined` if no replay was started with the Idempotency-Key within 24 hours */
  repeated(
    { idempotencyKey, requestSha256 }: RequestIdentity,
    now: number,
  ): StartResult | undefined {
    const since = now - IDEMPOTENT_RESPONSE_RETENTION_MS
    const replay = this.#store.byIdempotencyKey(idempotencyKey, since)
    if (!replay) return undefined
    if (replay.requestSha256 !== requestSha256) return { state: 'other_request' }
    return { state: 'started', replay: this.#progress(replay) }
  }

  start(start: ReplayStart, selection: ReplaySelection, now: number): StartResult {
    // A request with the same key may have started a replay while the runs of this one were checked.
    const repeated = start.identity && this.repeated(start.identity, now)
    if (repeated) return repeated
    this.#store.prune(now)
    const running = this.#store.unfinished().filter(({ status }) => status === 'running')
    if (running.length >= REPLAYS_RUNNING_MAX) return { state: 'too_many_running' }
    const { runs, alreadyReplayed } = this.#select(selection)
    if (runs.length === 0) return { state: 'empty', alreadyReplayed }
    if (runs.length > REPLAY_RUNS_MAX) return { state: 'too_large' }
    const { includeReplayed } = selection
    const replay = this.#store.add({ ...start, includeReplayed, runs }, now)
    return { state: 'started', replay: this.#progress(replay) }
  }

  byId(id: string): ReplayProgress | undefined {
    const replay = this.#store.byId(id)
    return replay && this.#progress(replay)
  }

  page({ limit, after }: { limit: number; after?: number | undefined }) {
    const { replays, next } = this.#store.page(limit, after)
    return { replays: replays.map((replay) => this.#progress(replay)), next }
  }

  cancel(id: string): { isCancelled: boolean; replay: ReplayProgress } | undefined {
    const isCancelled = this.#store.cancel(id)
    const replay = this.byId(id)
    return replay && { isCancelled, replay }
  }

  #progress(replay: StoredReplay): ReplayProgress {
    return { ...replay, waiting: this.#store.waitingTriggers(replay.number) }
  }

  #select({ from, includeReplayed }: ReplaySelection): {
    runs: RunReference[]
    alreadyReplayed: number
  } {
    const sql = this.#sql
    if ('filter' in from) {
      const replayed = includeReplayed ? undefined : false
      const runs = selectFailedRuns(sql, { ...from.filter, replayed })
      const left = includeReplayed ? 0 : countFailedRuns(sql, { ...from.filter, replayed: true })
      return { runs, alreadyReplayed: left }
    }
    if (includeReplayed) return { runs: [...from.runs], alreadyReplayed: 0 }
    const byTrigger = groupBy(from.runs, ({ triggerId }) => triggerId)
    const runs = [...byTrigger].flatMap(([triggerId, ofTrigger]) => {
      const suffixes = ofTrigger.map(({ suffix }) => suffix)
      const replayed = replayedAmong(sql, triggerId, suffixes)
      return ofTrigger.filter(({ suffix }) => !replayed.has(suffix))
    })
    return { runs, alreadyReplayed: from.runs.length - runs.length }
  }
}
