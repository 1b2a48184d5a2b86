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

const CHECK_REPLAYS_FIX =
  'A bulk replay may have been started. Before you retry, call triggers.replays() to check.'

/** Operations on the failed runs of all triggers. */
export type ReplayOperations = {
  /** Lists the failed runs of all triggers, latest failure first. */
  failedRuns(filter?: FailedRunFilter, options?: CallOptions): Listing<FailedRun>
  /** Lists groups of failed runs with the same error, latest failure first. */
  errorGroups(filter?: ErrorGroupFilter, options?: CallOptions): Listing<ErrorGroup>
  /** Returns what a bulk replay would do, without starting it. */
  previewReplay(fields: BulkReplayFields, options?: CallOptions): Promise<ReplayPreview>
  /** Starts a bulk replay. Not retried. @throws {Conflict} `nothing_to_replay`, `too_many_replays` */
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
      const write = { method: 'POST', path: '/api/replays', json } as const
      return sendOnce(parts, write, options, CHECK_REPLAYS_FIX)
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
      return sendOnce(parts, write, options, CHECK_REPLAYS_FIX)
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
