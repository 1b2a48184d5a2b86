import { z } from 'zod'
import type { ErrorStatus } from '../../../shared/errors/error-names.ts'
import type { Scope } from '../../../shared/wire/agent.ts'
import { chainsResponse } from '../../../shared/wire/chains.ts'
import { meResponse } from '../../../shared/wire/me.ts'
import { previewRequest, triggerPreview } from '../../../shared/wire/preview.ts'
import {
  purgeResponse,
  queuedResponse,
  replayRequest,
  runQuery,
  runsResponse,
  runsQuery,
  testRequest,
} from '../../../shared/wire/run.ts'
import {
  createTriggerRequest,
  listedTrigger,
  patchTriggerRequest,
  runRecord,
  storedTrigger,
  triggerRecord,
} from '../../../shared/wire/trigger.ts'
import { triggersListQuery } from '../triggers-list.ts'
import type { HeaderName } from './errors.ts'

export type ApiOperation = {
  method: 'get' | 'post' | 'patch' | 'delete'
  /** Path in OpenAPI syntax, such as `/api/triggers/{id}`. */
  path: string
  id: string
  summary: string
  /** Required scope, or `null` if any token is sufficient. */
  scope: Scope | null
  query?: z.ZodType
  body?: { schema: z.ZodType; optional?: true }
  success: { status: 200 | 201 | 202 | 204; schema?: z.ZodType; headers?: HeaderName[] }
  /** Error statuses in addition to those that the other fields imply. */
  failures?: ErrorStatus[]
}

export const apiOperations: ApiOperation[] = [
  {
    method: 'get',
    path: '/api/me',
    id: 'me',
    scope: null,
    summary: 'Returns the user who approved the token.',
    success: { status: 200, schema: meResponse },
  },
  {
    method: 'post',
    path: '/api/triggers',
    id: 'create_trigger',
    scope: 'triggers:write',
    summary: 'Creates a trigger. The usage key is stored encrypted and never returned.',
    body: { schema: createTriggerRequest },
    success: { status: 201, schema: storedTrigger, headers: ['location'] },
    failures: [409],
  },
  {
    method: 'get',
    path: '/api/triggers',
    id: 'list_triggers',
    scope: 'triggers:read',
    summary: 'Lists your triggers, newest first, either all at once or in linked pages.',
    query: triggersListQuery,
    success: {
      status: 200,
      schema: z.array(listedTrigger),
      headers: ['x-total-count', 'link'],
    },
  },
  {
    method: 'post',
    path: '/api/triggers/preview',
    id: 'preview_trigger',
    scope: 'triggers:read',
    summary: 'Previews what a trigger would do, without creating it.',
    body: { schema: previewRequest },
    success: { status: 200, schema: triggerPreview },
  },
  {
    method: 'get',
    path: '/api/chains',
    id: 'list_chains',
    scope: 'triggers:read',
    summary:
      'Lists the chains that this service can watch, with the progress of each and the state of its nodes.',
    success: { status: 200, schema: chainsResponse },
  },
  {
    method: 'get',
    path: '/api/triggers/{id}',
    id: 'get_trigger',
    scope: 'triggers:read',
    summary: 'Returns a trigger with its source and counters.',
    success: { status: 200, schema: triggerRecord },
  },
  {
    method: 'patch',
    path: '/api/triggers/{id}',
    id: 'patch_trigger',
    scope: 'triggers:write',
    summary:
      'Changes the fields in the body. Fields that are absent or null keep their values. Queued runs keep their code.',
    body: { schema: patchTriggerRequest },
    success: { status: 200, schema: storedTrigger },
  },
  {
    method: 'delete',
    path: '/api/triggers/{id}',
    id: 'delete_trigger',
    scope: 'triggers:write',
    summary: 'Deletes a trigger, its history and its sealed key.',
    success: { status: 204 },
  },
  {
    method: 'get',
    path: '/api/triggers/{id}/runs',
    id: 'list_runs',
    scope: 'triggers:read',
    summary: 'Lists the runs of a trigger, newest first.',
    query: runsQuery,
    success: { status: 200, schema: runsResponse },
  },
  {
    method: 'post',
    path: '/api/triggers/{id}/test',
    id: 'test_trigger',
    scope: 'triggers:write',
    summary: 'Queues a real run, marked as a test.',
    body: { schema: testRequest },
    success: { status: 202, schema: queuedResponse, headers: ['location'] },
    failures: [409],
  },
  {
    method: 'post',
    path: '/api/triggers/{id}/purge',
    id: 'purge_trigger',
    scope: 'triggers:write',
    summary: 'Cancels all queued runs of a trigger. They end with status `failed`.',
    success: { status: 200, schema: purgeResponse },
  },
  {
    method: 'get',
    path: '/api/runs/{id}',
    id: 'get_run',
    scope: 'triggers:read',
    summary: 'Returns a run with its complete input.',
    query: runQuery,
    success: { status: 200, schema: runRecord },
  },
  {
    method: 'post',
    path: '/api/runs/{id}/replay',
    id: 'replay_run',
    scope: 'triggers:write',
    summary: 'Queues a new run for the same event.',
    body: { schema: replayRequest, optional: true },
    success: { status: 202, schema: queuedResponse, headers: ['location'] },
    failures: [409],
  },
  {
    method: 'post',
    path: '/api/runs/{id}/cancel',
    id: 'cancel_run',
    scope: 'triggers:write',
    summary: 'Cancels a queued run. It ends with status `failed`.',
    success: { status: 200, schema: runRecord },
    failures: [409],
  },
]

export function errorStatuses({ method, path, scope, query, body, failures = [] }: ApiOperation) {
  // Any operation can fail with 503, for example while the database or a Durable Object restarts.
  const found = new Set<ErrorStatus>([401, 500, 503, ...failures])
  if (scope !== null) found.add(403)
  if (method !== 'get') found.add(429)
  if (path.includes('{id}')) found.add(404)
  if (query) found.add(422)
  if (body) for (const status of [400, 413, 415, 422] as const) found.add(status)
  return [...found].toSorted((a, b) => a - b)
}
