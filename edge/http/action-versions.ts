import type { Context } from 'hono'
import { TRIGGER_BODY_MAX_BYTES } from '../../shared/limits.ts'
import {
  actionVersionsResponse,
  actionVersionWithSource,
  savedVersion,
  type SaveVersion,
  saveVersionRequest,
} from '../../shared/wire/action-library.ts'
import { deleteVersion, saveVersion } from '../action-library/change-actions.ts'
import { listVersions, readVersion } from '../action-library/read-actions.ts'
import type { ApiOperation } from './api-operation.ts'
import type { AppEnv } from './app-env.ts'
import { originOfAgent } from './change-origin.ts'
import { notFound } from './trigger-lookup.ts'

export const listVersionsOperation: ApiOperation = {
  method: 'get',
  path: '/api/actions/{id}/versions',
  id: 'list_action_versions',
  scope: 'triggers:read',
  summary: 'Lists the versions of an action without their sources, newest first.',
  success: { status: 200, schema: actionVersionsResponse },
  handle: async (c, { user, id }) => {
    const versions = await listVersions(c.var.services.db, user.id, id)
    // An action always has a version.
    if (versions.length === 0) throw notFound('action')
    return c.json({ versions })
  },
}

export const saveVersionOperation: ApiOperation<SaveVersion> = {
  method: 'post',
  path: '/api/actions/{id}/versions',
  id: 'save_action_version',
  scope: 'triggers:write',
  summary:
    'Adds a version, which becomes the current one. If the source is that of the current version, nothing changes and `created` is false.',
  body: { schema: saveVersionRequest, maxBytes: TRIGGER_BODY_MAX_BYTES },
  success: { status: 200, schema: savedVersion },
  failures: [409],
  handle: async (c, { user, id, body }) => {
    const { db, now } = c.var.services
    const context = { db, now, ownerId: user.id, by: originOfAgent(c, user) }
    const saved = await saveVersion(context, id, body)
    if (!saved) throw notFound('action')
    return c.json({ ...saved.version, created: saved.created })
  },
}

export const getVersionOperation: ApiOperation = {
  method: 'get',
  path: '/api/actions/{id}/versions/{number}',
  id: 'get_action_version',
  scope: 'triggers:read',
  summary: 'Returns a version of an action with its source.',
  success: { status: 200, schema: actionVersionWithSource },
  handle: async (c, { user, id }) => {
    const version = await readVersion(c.var.services.db, user.id, { id, number: numberOf(c) })
    if (!version) throw notFound('version')
    return c.json(version)
  },
}

export const deleteVersionOperation: ApiOperation = {
  method: 'delete',
  path: '/api/actions/{id}/versions/{number}',
  id: 'delete_action_version',
  scope: 'triggers:write',
  summary: 'Deletes a version that is not the current one. Its number is not used again.',
  success: { status: 204 },
  handle: async (c, { user, id }) => {
    const context = { db: c.var.services.db, ownerId: user.id }
    if (!(await deleteVersion(context, { id, number: numberOf(c) }))) throw notFound('version')
    return c.body(null, 204)
  },
}

/** Returns 0, which is the number of no version, for other text. */
function numberOf(c: Context<AppEnv>): number {
  const text = c.req.param('number') ?? ''
  return /^[1-9]\d{0,8}$/.test(text) ? Number(text) : 0
}
