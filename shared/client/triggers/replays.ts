import { anySignal } from '../abortable.ts'
import type { CallOptions } from '../options.ts'
import { type Listing, listing } from '../core/listing.ts'
import { cursorPages } from './cursor-pages.ts'
import { sendOnce } from './lost-responses.ts'
import type {
  BulkReplayFields,
  ErrorGroup,
  ErrorGroupFilter,
  FailedRun,
  FailedRunFilter,
  Replay,
  ReplayPreview,
} from './records.ts'
import { retryWhileUnavailable } from './retry-while-unavailable.ts'
import { replayPath, triggerBody, type TriggersParts } from './send-request.ts'

const POLL_DELAY_MS = 2_000

const CHECK_REPLAY_FIX =
  'The bulk replay may have been cancelled. Before you retry, call triggers.replay(id) to check.'

/** Operations on the failed runs of all triggers. */
export type ReplayOperations = {
  /** Lists the failed runs of all triggers, latest failure first. */
  failedRuns(filter?: FailedRunFilter, options?: CallOptions): Listing<FailedRun>
  /** Lists groups of failed runs with the same error, latest failure first. */
  errorGroups(filter?: ErrorGroupFilter, options?: CallOptions): Listing<ErrorGroup>
  /** Returns what a bulk replay would do, without starting it. */
  previewReplay(fields: BulkReplayFields, options?: CallOptions): Promise<ReplayPreview>
  /**
   * Starts a bulk replay. Retried with the same Idempotency-Key, so only one replay is started.
   * @param options.idempotencyKey for 24 hours, a repeated call with the same key returns the replay that it started
   * @throws {Conflict} `nothing_to_replay`, `too_many_replays`
   * @throws {Unprocessable} if the key was used with other fields
   */
  startReplay(fields: BulkReplayFields, options?: CallOptions): Promise<Replay>
  /** Lists the bulk replays, newest first. */
  replays(options?: CallOptions): Listing<Replay>
  replay(id: string, options?: CallOptions): Promise<Replay>
  /** Waits until a bulk replay has ended. The wait survives lost connections. */
  waitForReplay(id: string, options?: CallOptions): Promise<Replay>
  /** Cancels a bulk replay. Runs that it has queued stay queued. @throws {Conflict} `replay_ended` */
  cancelReplay(id: string, options?: CallOptions): Promise<Replay>
}

export function replayOperations(parts: TriggersParts): ReplayOperations {
  return {
    failedRuns({ limit, triggerId: trigger_id, ...filter } = {}, options) {
      const list = { path: '/api/failed-runs', name: 'failed_runs', limit } as const
      return listing(() =>
        cursorPages<'failed_runs', FailedRun>(parts, list, { trigger_id, ...filter }, options),
      )
    },
    errorGroups({ limit, triggerId: trigger_id, ...filter } = {}, options) {
      const list = { path: '/api/failed-runs/groups', name: 'error_groups', limit } as const
      return listing(() =>
        cursorPages<'error_groups', ErrorGroup>(parts, list, { trigger_id, ...filter }, options),
      )
    },
    async previewReplay(json, options) {
      const path = '/api/replays/preview'
      const read = { method: 'POST', path, json, repeat: 'idempotent' } as const
      return triggerBody(parts, read, options)
    },
    async startReplay(json, options) {
      const write = { method: 'POST', path: '/api/replays', json, repeat: 'once' } as const
      return triggerBody(parts, write, options)
    },
    replays(options) {
      const list = { path: '/api/replays', name: 'replays' } as const
      return listing(() => cursorPages<'replays', Replay>(parts, list, {}, options))
    },
    replay: (id, options) => fetchReplay(parts, id, options),
    async waitForReplay(id, options = {}) {
      const signal = anySignal(parts.signal, options.signal)
      let replay = await fetchReplay(parts, id, options)
      while (replay.finished_at === null) {
        await parts.sleep(POLL_DELAY_MS, signal)
        replay = await retryWhileUnavailable(() => fetchReplay(parts, id, options), parts, signal)
      }
      return replay
    },
    async cancelReplay(id, options) {
      const write = { method: 'POST', path: `${replayPath(id)}/cancel` } as const
      return sendOnce(parts, write, options, CHECK_REPLAY_FIX)
    },
  }
}

async function fetchReplay(
  parts: TriggersParts,
  id: string,
  options?: CallOptions,
): Promise<Replay> {
  const request = { method: 'GET', path: replayPath(id), repeat: 'idempotent' } as const
  return triggerBody(parts, request, options)
}
