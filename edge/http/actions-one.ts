import {
  type ChangeAction,
  changeActionRequest,
  libraryAction,
} from '../../shared/wire/action-library.ts'
import { changeAction, deleteAction } from '../action-library/change-actions.ts'
import { readAction } from '../action-library/read-actions.ts'
import type { ApiOperation } from './api-operation.ts'
import { notFound } from './trigger-lookup.ts'

const BODY_MAX_BYTES = 16 * 1024

export const getActionOperation: ApiOperation = {
  method: 'get',
  path: '/api/actions/{id}',
  id: 'get_action',
  scope: 'triggers:read',
  summary:
    'Returns an action with the source of its current version, and which of your triggers run which version.',
  success: { status: 200, schema: libraryAction },
  handle: async (c, { user, id }) => {
    const action = await readAction(c.var.services.db, user.id, id)
    if (!action) throw notFound('action')
    return c.json(action)
  },
}

export const patchActionOperation: ApiOperation<ChangeAction> = {
  method: 'patch',
  path: '/api/actions/{id}',
  id: 'patch_action',
  scope: 'triggers:write',
  summary:
    'Renames an action, or makes another version the current one. Triggers keep their sources.',
  body: { schema: changeActionRequest, maxBytes: BODY_MAX_BYTES },
  success: { status: 200, schema: libraryAction },
  handle: async (c, { user, id, body }) => {
    const { db, now } = c.var.services
    const action = await changeAction({ db, now, ownerId: user.id }, id, body)
    if (!action) throw notFound('action')
    if (action === 'no_version') throw notFound('version')
    return c.json(action)
  },
}

export const deleteActionOperation: ApiOperation = {
  method: 'delete',
  path: '/api/actions/{id}',
  id: 'delete_action',
  scope: 'triggers:write',
  summary: 'Deletes an action with all versions. Triggers keep their sources.',
  success: { status: 204 },
  handle: async (c, { user, id }) => {
    if (!(await deleteAction({ db: c.var.services.db, ownerId: user.id }, id)))
      throw notFound('action')
    return c.body(null, 204)
  },
}
