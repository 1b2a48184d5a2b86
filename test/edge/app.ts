import { listDurableObjectIds, runInDurableObject } from 'cloudflare:test'
import { env as bindings, exports } from 'cloudflare:workers'
import { vi } from 'vitest'
import { drizzle } from 'drizzle-orm/d1'
import * as schema from '../../edge/db/schema.ts'
import type { Env } from '../../edge/env.ts'
import { approveAgentToken } from '../../edge/identity/agent-tokens.ts'
import { findOrCreateUser } from '../../edge/identity/users.ts'
import type { TriggerQueue } from '../../edge/queue/trigger-queue.ts'
import { newTriggerId } from '../../edge/triggers/trigger-id.ts'
import { encodeBase64url } from '../../shared/encoding/base64url.ts'
import { triggerIdOfRun } from '../../shared/ids.ts'
import { type Scope, SCOPES } from '../../shared/wire/agent.ts'
import type { RunRecord, TriggerRecord } from '../../shared/wire/trigger.ts'
import { type Seen, scriptSource, type Step } from '../doubles/script.ts'

export const env = bindings as unknown as Env
export const db = drizzle(env.DB, { schema })
const worker = (exports as unknown as { default: { fetch: typeof fetch } }).default

export const random = (bytes: number) => crypto.getRandomValues(new Uint8Array(bytes))

/** Sends one request to the edge, as a sender or client would. */
export function edge(path: string, init?: RequestInit): Promise<Response> {
  return worker.fetch(new Request(new URL(path, 'https://edge.test'), init))
}

export type Owner = { id: string; token: string; api: typeof edge }

/** Creates an account with an approved agent token, without going through the sign-in pages. */
export async function someOwner({
  scopes = SCOPES,
  email = `${crypto.randomUUID()}@example.test`,
}: { scopes?: readonly Scope[]; email?: string } = {}): Promise<Owner> {
  const identity = { db, now: Date.now, random, settings: env }
  const user = await findOrCreateUser(identity, email)
  const token = encodeBase64url(random(48))
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(token))
  const challenge = encodeBase64url(new Uint8Array(hash))
  await approveAgentToken(identity, { challenge, userId: user.id, scopes })
  const api: typeof edge = (path, init = {}) =>
    edge(path, { ...init, headers: { authorization: `Bearer ${token}`, ...init.headers } })
  return { id: user.id, token, api }
}

/**
 * Deletes all triggers of the owner. Otherwise the chain watcher keeps polling its node for the rest of the test run.
 */
export async function deleteTriggers(owner: Owner): Promise<void> {
  const list: { id: string }[] = await (await owner.api('/api/triggers')).json()
  await Promise.all(list.map(({ id }) => owner.api(`/api/triggers/${id}`, { method: 'DELETE' })))
}

/** Source of an action that the origin double plays: one step per call. The last step repeats. */
export const script = (...steps: Step[]) => scriptSource(steps)
export const CID = 'QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWnPBdG'
const ended = { action_cid: CID, duration_ms: 1, logs: [], charged_cents: 1 }
export const success = (response: unknown = 'done') => ({
  outcome: { status: 'success' as const, ...ended, response },
})
export const slow = (after_ms: number): Step => ({ ...success('slow'), after_ms })

export const post = (path: string, body: unknown) => ({
  path,
  init: {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
  },
})

/** A valid body for `POST /api/triggers`. */
export const webhook = (over: object = {}) => ({
  name: 'a webhook',
  kind: 'webhook',
  action_code: script(success()),
  usage_api_key: 'usage-key',
  ...over,
})

export async function createTrigger(owner: Owner, over: object = {}): Promise<TriggerRecord> {
  const { path, init } = post('/api/triggers', webhook(over))
  const response = await owner.api(path, init)
  if (response.status !== 201) throw new Error(`create answered ${await response.text()}`)
  return response.json()
}

/** Fires a webhook and expects 202. @returns the run ID */
export async function fire(id: string, body: BodyInit = '{}', init: RequestInit = {}) {
  const response = await edge(`/webhook/${id}`, { method: 'POST', body, ...init })
  const answer: { run_id: string } = await response.json()
  if (response.status !== 202) throw new Error(`the webhook answered ${JSON.stringify(answer)}`)
  return answer.run_id
}

export async function readRun(owner: Owner, runId: string): Promise<RunRecord> {
  return (await owner.api(`/api/runs/${runId}`)).json()
}

/** Waits until the run has finished, or until it matches `wanted`. */
export function runOnce(
  owner: Owner,
  runId: string,
  wanted = (run: RunRecord) => run.finished_at !== null,
): Promise<RunRecord> {
  return vi.waitUntil(
    async () => {
      const run = await readRun(owner, runId)
      return wanted(run) && run
    },
    { timeout: 15_000, interval: 20 },
  )
}

/** Executions that the origin received for a run, or for all runs of a trigger, in order of arrival. */
export async function seen(runOrTriggerId: string): Promise<Seen[]> {
  const url = new URL('/control/seen', env.ORIGIN_URL)
  // The double filters the list: all executions of a test run are tens of megabytes of JSON.
  url.searchParams.set('prefix', runOrTriggerId)
  return (await fetch(url)).json()
}

export const queueOf = (id: string): DurableObjectStub<TriggerQueue> =>
  env.TRIGGER_QUEUE.getByName(id)
export const queueOfRun = (runId: string) => queueOf(triggerIdOfRun(runId)!)

/** Runs SQL in a trigger's Durable Object. */
export function sql<Row extends Record<string, SqlStorageValue>>(
  id: string,
  query: string,
  ...values: unknown[]
): Promise<Row[]> {
  return runInDurableObject(queueOf(id), (_, state) =>
    state.storage.sql.exec<Row>(query, ...values).toArray(),
  )
}

/** Aborts a Durable Object as a crash would, so work in progress is cut off. */
export async function kill(id: string): Promise<void> {
  await runInDurableObject(queueOf(id), (_, state) => state.abort('killed')).catch(() => {})
}

export const unknownTriggerId = () => newTriggerId(env.ID_MAC_KEY, random)

export async function objectExists(name: string): Promise<boolean> {
  const ids = await listDurableObjectIds(env.TRIGGER_QUEUE)
  const id = env.TRIGGER_QUEUE.idFromName(name)
  return ids.some((existing) => existing.equals(id))
}
