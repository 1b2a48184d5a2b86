/** `client.triggers`: operations of the trigger service, named after its paths. */
import type { ChainsResponse } from '../../wire/chains.ts'
import type { CallOptions } from '../options.ts'
import { type Listing, listing } from '../core/listing.ts'
import { ask, runPath, triggerPath, type TriggersParts } from './ask.ts'
import { fire, type FireOptions } from './fire.ts'
import { askOnce, cancelRun, deleteTrigger, LOOK_AT_LIST, LOOK_AT_RUNS } from './lost-answers.ts'
import type {
  Chain,
  FiredRun,
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
} from './register-agent-request.ts'
import { runPages, runsOf, runsPage } from './run-pages.ts'
import { triggerPages } from './trigger-pages.ts'
import { runNow, waitForRun } from './wait-for-run.ts'
import { type AuthorizedOptions, waitUntilAuthorized } from './wait-until-authorized.ts'
import { watchRuns, type WatchOptions } from './watch-runs.ts'

/**
 * Besides the service's errors, each throws `NotSent` if the token or `triggersUrl` is missing, or an ID is malformed.
 */
export type TriggerOperations = {
  /** Returns the token's owner and scopes. */
  me(options?: CallOptions): Promise<Me>
  /**
   * Optional, before a person opens the link: the page then shows the label and asks for `user_code`. Needs no token.
   */
  registerAgentRequest(fields: AgentRequestFields, options?: CallOptions): Promise<AgentRequest>
  /** Waits until a person has approved the token: at most 15 minutes, or until its registered request expires. */
  waitUntilAuthorized(options?: AuthorizedOptions): Promise<Me>
  /** Not retried. After a lost response, `NetworkFailed` warns that the trigger may exist. */
  create(fields: TriggerFields, options?: CallOptions): Promise<StoredTrigger>
  /** Newest first, without `action_code`. */
  list(filter?: TriggerFilter, options?: CallOptions): Listing<ListedTrigger>
  get(id: string, options?: CallOptions): Promise<Trigger>
  patch(id: string, changes: TriggerChanges, options?: CallOptions): Promise<StoredTrigger>
  /** Deletes a trigger with its history and its sealed key. @throws {NotFound} */
  delete(id: string, options?: CallOptions): Promise<void>
  /** Shows what a trigger would do, without creating it. */
  preview(fields: PreviewFields, options?: CallOptions): Promise<TriggerPreview>
  /** Lists the chains with events that triggers can watch. */
  chains(options?: CallOptions): Promise<Chain[]>
  /** Starts a real run, marked `test`. Not retried. */
  test(id: string, fields: TestFields, options?: CallOptions): Promise<QueuedRun>
  /** Cancels all queued runs. Not retried, because a repeated call would also cancel runs queued since. */
  purge(id: string, options?: CallOptions): Promise<Purged>
  /** Posts to the webhook. Needs no token. */
  fire(
    id: string,
    body: string | Uint8Array<ArrayBuffer>,
    headers?: Readonly<Record<string, string>>,
    options?: FireOptions,
  ): Promise<FiredRun>
  /** Newest first. */
  runs(id: string, filter?: RunFilter, options?: CallOptions): Listing<Run>
  /** @param options.wait seconds of long polling until the run has finished, up to 30 */
  run(runId: string, options?: CallOptions & { wait?: number }): Promise<Run>
  /** Returns the run once it has finished or failed. Survives lost connections. Stops only with the signal. */
  waitForRun(runId: string, options?: CallOptions): Promise<Run>
  /** Cancels a queued run. @throws {Conflict} if it is not queued */
  cancelRun(runId: string, options?: CallOptions): Promise<Run>
  /** Runs the event again as a new run, with the current code or `{code: 'original'}`. Not retried. */
  replayRun(runId: string, fields?: ReplayFields, options?: CallOptions): Promise<QueuedRun>
  /** Yields runs as they finish, each once. Survives lost connections. Stops with the signal or the consumer. */
  watchRuns(id: string, options?: WatchOptions): AsyncGenerator<Run, void, undefined>
}

export function triggerOperations(parts: TriggersParts): TriggerOperations {
  const get = async <Body>(path: string, options?: CallOptions) =>
    (await ask<Body>(parts, { method: 'GET', path, repeat: 'idempotent' }, options)).body
  return {
    me: (options) => get('/api/me', options),
    registerAgentRequest: (fields, options) => registerAgentRequest(parts, fields, options),
    waitUntilAuthorized: (options) => waitUntilAuthorized(parts, options),
    create(json, options) {
      const write = { method: 'POST', path: '/api/triggers', json } as const
      return askOnce(parts, write, options, LOOK_AT_LIST)
    },
    list: (filter = {}, options) => listing(() => triggerPages(parts, filter, options)),
    get: async (id, options) => get(triggerPath(id), options),
    // Repeating the same change has no further effect.
    async patch(id, json, options) {
      const path = triggerPath(id)
      const change = { method: 'PATCH', path, json, repeat: 'idempotent' } as const
      return (await ask<StoredTrigger>(parts, change, options)).body
    },
    delete: (id, options) => deleteTrigger(parts, id, options),
    async preview(json, options) {
      const path = '/api/triggers/preview'
      const read = { method: 'POST', path, json, repeat: 'idempotent' } as const
      return (await ask<TriggerPreview>(parts, read, options)).body
    },
    chains: async (options) => (await get<ChainsResponse>('/api/chains', options)).chains,
    async test(id, json, options) {
      const write = { method: 'POST', path: `${triggerPath(id)}/test`, json } as const
      return askOnce(parts, write, options, LOOK_AT_RUNS)
    },
    async purge(id, options) {
      const write = { method: 'POST', path: `${triggerPath(id)}/purge` } as const
      return askOnce(parts, write, options, LOOK_AT_RUNS)
    },
    fire: (id, body, headers, options) => fire(parts, id, body, headers, options),
    runs(triggerId, { limit, ...filter } = {}, options) {
      const query = { ...filter, triggerId }
      return listing(() =>
        runsOf(runPages((place) => runsPage(parts, query, place, options), limit)),
      )
    },
    run: (runId, options) => runNow(parts, runId, options),
    waitForRun: (runId, options) => waitForRun(parts, runId, options),
    cancelRun: (runId, options) => cancelRun(parts, runId, options),
    async replayRun(runId, json = {}, options) {
      const write = { method: 'POST', path: `${runPath(runId)}/replay`, json } as const
      return askOnce(parts, write, options, LOOK_AT_RUNS)
    },
    watchRuns: (id, options) => watchRuns(parts, id, options),
  }
}
