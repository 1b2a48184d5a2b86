/** `client.triggers`: the trigger service under the names of its paths. */
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

/** What each throws beside refusals: `NotSent` without a token, a `triggersUrl`, or for what is no id. */
export type TriggerOperations = {
  /** Whose token it is, and what it may do. */
  me(options?: CallOptions): Promise<Me>
  /** Optional, before a person opens the link: they then see the label, and type `user_code`. Needs no token, and sends none. */
  registerAgentRequest(fields: AgentRequestFields, options?: CallOptions): Promise<AgentRequest>
  /** Until a person has approved the token; up to 15 minutes, and no longer than its request, where it has one. */
  waitUntilAuthorized(options?: AuthorizedOptions): Promise<Me>
  /** Sent once: where the answer is lost, `NetworkFailed` says that a trigger may be there. */
  create(fields: TriggerFields, options?: CallOptions): Promise<StoredTrigger>
  /** Newest first, without `action_code`. */
  list(filter?: TriggerFilter, options?: CallOptions): Listing<ListedTrigger>
  get(id: string, options?: CallOptions): Promise<Trigger>
  patch(id: string, changes: TriggerChanges, options?: CallOptions): Promise<StoredTrigger>
  /** With its history and its sealed key. @throws {NotFound} */
  delete(id: string, options?: CallOptions): Promise<void>
  /** What a trigger would do, without making it. */
  preview(fields: PreviewFields, options?: CallOptions): Promise<TriggerPreview>
  /** The chains whose events triggers can watch here. */
  chains(options?: CallOptions): Promise<Chain[]>
  /** A real run, marked `test`. Sent once. */
  test(id: string, fields: TestFields, options?: CallOptions): Promise<QueuedRun>
  /** Ends all that is queued as failed. Sent once: what has been queued since would be ended, too. */
  purge(id: string, options?: CallOptions): Promise<Purged>
  /** Posts to the webhook; needs no token. */
  fire(
    id: string,
    body: string | Uint8Array<ArrayBuffer>,
    headers?: Readonly<Record<string, string>>,
    options?: FireOptions,
  ): Promise<FiredRun>
  /** Newest first. */
  runs(id: string, filter?: RunFilter, options?: CallOptions): Listing<Run>
  /** @param options.wait seconds that the answer may wait for the run's end, up to 30 */
  run(runId: string, options?: CallOptions & { wait?: number }): Promise<Run>
  /** The run once it has ended, also as failed. Goes on over lost connections, until the signal ends it. */
  waitForRun(runId: string, options?: CallOptions): Promise<Run>
  /** A run that is queued. @throws {Conflict} for another */
  cancelRun(runId: string, options?: CallOptions): Promise<Run>
  /** Its event again, as a new run: with today's code, or `{code: 'original'}`. Sent once. */
  replayRun(runId: string, fields?: ReplayFields, options?: CallOptions): Promise<QueuedRun>
  /** Runs as they end, each once. Goes on over lost connections, until the signal or the reader ends it. */
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
    // The same change again changes nothing more.
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
