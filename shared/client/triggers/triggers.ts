import type { ChainsResponse } from '../../wire/chains.ts'
import type { CallOptions } from '../options.ts'
import { type Listing, listing } from '../core/listing.ts'
import { type ActionLibraryOperations, actionLibraryOperations } from './action-library.ts'
import { type AlertOperations, alertOperations } from './alerts.ts'
import { triggerBody, runPath, triggerPath, type TriggersParts } from './send-request.ts'
import {
  fire,
  type FireOptions,
  sendOnce,
  cancelRun,
  deleteOnce,
  CHECK_LIST_FIX,
  CHECK_RUNS_FIX,
} from './lost-responses.ts'
import type {
  AllRunsFilter,
  Chain,
  FiredRun,
  ListedRun,
  ListedTrigger,
  Me,
  PreviewFields,
  Purged,
  QueuedRun,
  ReplayFields,
  Run,
  RunFilter,
  StoredTrigger,
  TestFields,
  Trigger,
  TriggerChanges,
  TriggerFields,
  TriggerFilter,
  TriggerPreview,
} from './records.ts'
import {
  type AgentRequest,
  type AgentRequestFields,
  registerAgentRequest,
  type WaitUntilAuthorizedOptions,
  waitUntilAuthorized,
} from './agent-authorization.ts'
import { type ReplayOperations, replayOperations } from './replays.ts'
import { cursorPages } from './cursor-pages.ts'
import { runPages, runBatches, fetchRunsPage } from './run-pages.ts'
import { type TailEvent, tailTrigger } from './tail.ts'
import { type TriggerLogOperations, triggerLogOperations } from './trigger-log.ts'
import { triggerPages } from './trigger-pages.ts'
import { fetchRun, waitForRun } from './wait-for-run.ts'
import { watchRuns, type WatchRunsOptions } from './watch-runs.ts'

/**
 * Operations of `client.triggers`. Each also throws `NotSent` if the token or `triggersUrl` is missing, or if an ID is
 * malformed.
 */
export type TriggerOperations = ReplayOperations & {
  /** Returns the owner and the scopes of the agent token. */
  me(options?: CallOptions): Promise<Me>
  /**
   * Registers a token before a person opens the approval link, so that the approval page shows the label and asks for
   * `user_code`. Optional. Needs no token.
   */
  registerAgentRequest(fields: AgentRequestFields, options?: CallOptions): Promise<AgentRequest>
  /** Waits until a person has approved the token, for up to 15 minutes, or until the registered request expires. */
  waitUntilAuthorized(options?: WaitUntilAuthorizedOptions): Promise<Me>
  /**
   * Creates a trigger. Not retried. After a lost response, throws `NetworkFailed` with the advice that the trigger may
   * exist.
   */
  create(fields: TriggerFields, options?: CallOptions): Promise<StoredTrigger>
  /** Lists the triggers without `action_code`, newest first. */
  list(filter?: TriggerFilter, options?: CallOptions): Listing<ListedTrigger>
  get(id: string, options?: CallOptions): Promise<Trigger>
  patch(id: string, changes: TriggerChanges, options?: CallOptions): Promise<StoredTrigger>
  /** Deletes a trigger, including its run history and sealed usage key. @throws {NotFound} */
  delete(id: string, options?: CallOptions): Promise<void>
  /** Previews a trigger without creating it. */
  preview(fields: PreviewFields, options?: CallOptions): Promise<TriggerPreview>
  /** Lists the chains with events that triggers can watch. */
  chains(options?: CallOptions): Promise<Chain[]>
  /** Starts a real run of the trigger that is marked as `test`. Not retried. */
  test(id: string, fields: TestFields, options?: CallOptions): Promise<QueuedRun>
  /**
   * Cancels all queued runs of a trigger. Not retried, because a retry would also cancel runs that were queued later.
   */
  purge(id: string, options?: CallOptions): Promise<Purged>
  /** Posts an event to the trigger's webhook. Does not need a token. */
  fire(
    id: string,
    body: string | Uint8Array<ArrayBuffer>,
    headers?: Readonly<Record<string, string>>,
    options?: FireOptions,
  ): Promise<FiredRun>
  /** Lists a trigger's runs, newest first. */
  runs(id: string, filter?: RunFilter, options?: CallOptions): Listing<Run>
  /** Lists the runs of all triggers, newest first. A run appears up to 15 seconds after it was queued. */
  allRuns(filter?: AllRunsFilter, options?: CallOptions): Listing<ListedRun>
  /** Returns a run. @param options.wait maximum time to wait until the run has finished, in seconds, up to 30 */
  run(runId: string, options?: CallOptions & { wait?: number }): Promise<Run>
  /** Waits until the run has finished or failed. The wait survives lost connections, and only the signal aborts it. */
  waitForRun(runId: string, options?: CallOptions): Promise<Run>
  /** Cancels a queued run. @throws {Conflict} if the run is not queued */
  cancelRun(runId: string, options?: CallOptions): Promise<Run>
  /**
   * Starts a new run with the same input. The new run uses the current code, or the original code with `{code:
   * 'original'}`. Not retried.
   */
  replayRun(runId: string, fields?: ReplayFields, options?: CallOptions): Promise<QueuedRun>
  /**
   * Yields each run once, when the run finishes. Survives lost connections. Ends when the signal aborts or the consumer
   * stops.
   */
  watchRuns(id: string, options?: WatchRunsOptions): AsyncGenerator<Run, void, undefined>
  /**
   * Yields console output as soon as it is known, also of runs in progress, and each run when it has finished. Survives lost
   * connections, and yields each line once. Ends when the signal aborts or the consumer stops.
   */
  tail(id: string, options?: WatchRunsOptions): AsyncGenerator<TailEvent, void, undefined>
  /** Incidents of triggers, and the alerts about them. */
  alerts: AlertOperations
  /** Log of changes of triggers. */
  auditLog: TriggerLogOperations
  /** The user's library of actions. */
  actions: ActionLibraryOperations
}

export function triggerOperations(parts: TriggersParts): TriggerOperations {
  const get = <Body>(path: string, options?: CallOptions) =>
    triggerBody<Body>(parts, { method: 'GET', path, repeat: 'idempotent' }, options)
  return {
    ...replayOperations(parts),
    me: (options) => get('/api/me', options),
    registerAgentRequest: (fields, options) => registerAgentRequest(parts, fields, options),
    waitUntilAuthorized: (options) => waitUntilAuthorized(parts, options),
    create(json, options) {
      const write = { method: 'POST', path: '/api/triggers', json } as const
      return sendOnce(parts, write, options, CHECK_LIST_FIX)
    },
    list: (filter = {}, options) => listing(() => triggerPages(parts, filter, options)),
    get: async (id, options) => get(triggerPath(id), options),
    // A change can be retried, because repeating it has no further effect.
    async patch(id, json, options) {
      const path = triggerPath(id)
      const change = { method: 'PATCH', path, json, repeat: 'idempotent' } as const
      return triggerBody(parts, change, options)
    },
    delete: async (id, options) => deleteOnce(parts, triggerPath(id), options),
    async preview(json, options) {
      const path = '/api/triggers/preview'
      const read = { method: 'POST', path, json, repeat: 'idempotent' } as const
      return triggerBody(parts, read, options)
    },
    chains: async (options) => (await get<ChainsResponse>('/api/chains', options)).chains,
    async test(id, json, options) {
      const write = { method: 'POST', path: `${triggerPath(id)}/test`, json } as const
      return sendOnce(parts, write, options, CHECK_RUNS_FIX)
    },
    async purge(id, options) {
      const write = { method: 'POST', path: `${triggerPath(id)}/purge` } as const
      return sendOnce(parts, write, options, CHECK_RUNS_FIX)
    },
    fire: (id, body, headers, options) => fire(parts, id, body, headers, options),
    runs(triggerId, { limit, ...filter } = {}, options) {
      const query = { ...filter, triggerId }
      return listing(() =>
        runBatches(runPages((place) => fetchRunsPage(parts, query, place, options), limit)),
      )
    },
    allRuns({ limit, triggerId: trigger_id, ...filter } = {}, options) {
      const list = { path: '/api/runs', name: 'runs', limit } as const
      return listing(() =>
        cursorPages<'runs', ListedRun>(parts, list, { trigger_id, ...filter }, options),
      )
    },
    run: (runId, options) => fetchRun(parts, runId, options),
    waitForRun: (runId, options) => waitForRun(parts, runId, options),
    cancelRun: (runId, options) => cancelRun(parts, runId, options),
    async replayRun(runId, json = {}, options) {
      const write = { method: 'POST', path: `${runPath(runId)}/replay`, json } as const
      return sendOnce(parts, write, options, CHECK_RUNS_FIX)
    },
    watchRuns: (id, options) => watchRuns(parts, id, options),
    tail: (id, options) => tailTrigger(parts, id, options),
    alerts: alertOperations(parts),
    auditLog: triggerLogOperations(parts),
    actions: actionLibraryOperations(parts),
  }
}
