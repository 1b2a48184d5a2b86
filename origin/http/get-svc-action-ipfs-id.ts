import { CORE_BODY_MAX_BYTES } from '../../shared/limits.ts'
import { sourceSchema } from '../../shared/wire/action-call.ts'
import { cidResponse } from '../../shared/wire/core.ts'
import type { Operation } from './operation.ts'

/** The request body is a single JSON string. */
export const getSvcActionIpfsIdOperation: Operation<Uint8Array> = {
  method: 'POST',
  path: '/core/v1/get_svc_action_ipfs_id',
  summary: 'Returns the CIDv0 of a source.',
  auth: 'none',
  rate: ({ sourceCids }) => sourceCids.rate,
  body: { schema: sourceSchema, maxBytes: CORE_BODY_MAX_BYTES, isUnparsed: true },
  responseSchema: cidResponse,
  handle: ({ body }, { sourceCids }) => sourceCids.fromJson(body),
}
