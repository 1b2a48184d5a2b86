import type { ReplayCode } from '../../shared/wire/run.ts'
import type {
  ErrorGroupPosition,
  FailedRunFilter,
  FailedRunPosition,
  StoredErrorGroup,
  StoredFailedRun,
} from './failed-run-queries.ts'
import type { RunReference, StoredReplay } from './replay-store.ts'
import type { RequestIdentity } from './request-identity.ts'

/** Runs of a bulk replay: given ones, which the caller has checked, or all failed runs that match a filter. */
export type ReplaySelection = {
  from: { runs: readonly RunReference[] } | { filter: FailedRunFilter }
  includeReplayed: boolean
}

export type ReplayStart = {
  id: string
  ownerId: string
  code: ReplayCode
  perMinute: number
  /** Undefined if the request has no Idempotency-Key. */
  identity?: RequestIdentity | undefined
}

export type SelectedRuns = {
  /** Number of selected runs by trigger. */
  triggers: { triggerId: string; runs: number }[]
  /** Number of matching runs that are left out, because they were already replayed. */
  alreadyReplayed: number
  isTooLarge: boolean
}

export type ReplayProgress = StoredReplay & {
  waiting: { triggerId: string; since: number }[]
}

export type StartResult =
  /** Also if an earlier request with the same Idempotency-Key started the replay. */
  | { state: 'started'; replay: ReplayProgress }
  /** An earlier request with the same Idempotency-Key had other fields. */
  | { state: 'other_request' }
  /** No run matches, or all matching runs were already replayed. */
  | { state: 'empty'; alreadyReplayed: number }
  | { state: 'too_large' }
  | { state: 'too_many_running' }

type Page<Position> = { limit: number; after?: Position | undefined }

/** Failed runs and bulk replays of one user. */
export interface ReplaysObject {
  failedRuns(
    filter: FailedRunFilter,
    page: Page<FailedRunPosition>,
  ): Promise<{ runs: StoredFailedRun[]; next: FailedRunPosition | undefined }>
  errorGroups(
    filter: FailedRunFilter,
    page: Page<ErrorGroupPosition>,
  ): Promise<{ groups: StoredErrorGroup[]; next: ErrorGroupPosition | undefined }>
  previewReplay(selection: ReplaySelection): Promise<SelectedRuns>
  /** @returns `undefined` if no replay was started with the Idempotency-Key within 24 hours */
  repeatedReplay(identity: RequestIdentity): Promise<StartResult | undefined>
  /** If the result is `started`, the replay is on disk. */
  startReplay(start: ReplayStart, selection: ReplaySelection): Promise<StartResult>
  replay(id: string): Promise<ReplayProgress | undefined>
  replays(page: Page<number>): Promise<{ replays: ReplayProgress[]; next: number | undefined }>
  /** Returns the IDs of the replays that have runs left. */
  runningReplays(): Promise<string[]>
  /** @returns `undefined` if the replay does not exist; `isCancelled` is false if it has ended */
  cancelReplay(id: string): Promise<{ isCancelled: boolean; replay: ReplayProgress } | undefined>
  /** Marks a failed run that was replayed individually. Does nothing if the run is not a failed run. */
  recordReplay(triggerId: string, suffix: string, newSuffix: string): Promise<void>
}
