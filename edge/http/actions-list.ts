import { TRIGGER_BODY_MAX_BYTES } from '../../shared/limits.ts'
import {
  actionsResponse,
  type CreateAction,
  createActionRequest,
  libraryAction,
} from '../../shared/wire/action-library.ts'
import { createAction } from '../action-library/change-actions.ts'
import { listActions } from '../action-library/read-actions.ts'
import type { ApiOperation } from './api-operation.ts'
import { originOfAgent } from './change-origin.ts'

export const listActionsOperation: ApiOperation = {
  method: 'get',
  path: '/api/actions',
  id: 'list_actions',
  scope: 'triggers:read',
  summary: 'Lists the actions in your library without their sources, most recently changed first.',
  success: { status: 200, schema: actionsResponse },
  handle: async (c, { user }) => c.json({ actions: await listActions(c.var.services.db, user.id) }),
}

export const createActionOperation: ApiOperation<CreateAction> = {
  method: 'post',
  path: '/api/actions',
  id: 'create_action',
  scope: 'triggers:write',
  summary: 'Adds an action to your library. The source is compiled, but not run.',
  body: { schema: createActionRequest, maxBytes: TRIGGER_BODY_MAX_BYTES },
  success: { status: 201, schema: libraryAction, headers: ['location'] },
  failures: [409],
  handle: async (c, { user, body }) => {
    const { db, now, random } = c.var.services
    const context = { db, now, random, ownerId: user.id, by: originOfAgent(c, user) }
    const action = await createAction(context, body)
    return c.json(action, 201, { location: `/api/actions/${action.id}` })
  },
}
