import { actionCid } from '../../shared/cid.ts'
import { CORE_BODY_MAX_BYTES, SOURCE_MAX_BYTES } from '../../shared/limits.ts'
import { sourceSchema } from '../../shared/wire/action-call.ts'
import { cidAnswer } from '../../shared/wire/core.ts'
import type { Operation } from './operation.ts'
import { requireSize } from './size.ts'

/** The CIDv0 of a source; the body is one JSON string. */
export const getSvcActionIpfsId: Operation<string> = {
  method: 'POST',
  path: '/core/v1/get_svc_action_ipfs_id',
  summary: 'The CIDv0 of a source.',
  auth: 'none',
  body: { schema: sourceSchema, maxBytes: CORE_BODY_MAX_BYTES, isString: true },
  answer: cidAnswer,
  handle: async ({ body }) => {
    requireSize('body', body, SOURCE_MAX_BYTES)
    return actionCid(body)
  },
}
