import { z } from 'zod'
import {
  type ExecuteResponse,
  executeRequestSchema,
  SEALED_EXECUTE_PATH,
} from '../../shared/wire/sealed.ts'
import { SOURCE_MAX_BYTES } from '../../shared/limits.ts'
import type { Principal } from '../accounts/account.ts'
import { type AuditContext, actorOf } from '../audit-log/context.ts'
import type { OriginServices } from '../services.ts'
import { requireAllowedSource } from '../usage-keys/request-source.ts'
import { authenticateKey } from './authenticate.ts'
import { jsParamsSchema } from './json/json-text.ts'
import { readParamsText, requireSize } from './size.ts'
import { recordRefusal } from './record-refusal.ts'
import { requireNotReplayed, type SealedOperation, type SealedSource } from './sealed.ts'

const ofRuns = z.undefined('accepted only from the edge, in POST /sealed/runs').optional()

/** The fields of runs are named, because a request that contains them must not be executed without them. */
const schema = executeRequestSchema.extend({
  js_params: jsParamsSchema,
  run: ofRuns,
  client_address: ofRuns,
})

/** Executes an action for an end-to-end encrypted client. */
export const sealedExecuteOperation: SealedOperation<z.infer<typeof schema>> = {
  path: SEALED_EXECUTE_PATH,
  schema,
  members: { names: Object.keys(schema.shape), text: 'js_params' },
  handle: async (body, _mode, services, heldBytes, source): Promise<ExecuteResponse> => {
    services.load.requireRoom()
    const { credential, code } = body
    const principal = authenticateKey(credential.api_key, services)
    services.keyUses.recordUse(principal.keyHash)
    try {
      const limits = services.keyLimits.of(principal)
      if (limits) requireAllowedSource(limits, source)
      await services.keyRate.take(principal)
      requireSize('code', code, SOURCE_MAX_BYTES)
      const params = readParamsText(body.js_params)
      await requireNotReplayed(body, services)
      const outcome = await services.executions.run({
        principal,
        code,
        params,
        heldBytes,
        span: source.span,
      })
      return { state: 'ended', outcome }
    } catch (error) {
      recordRefusal(error, () => auditContext(principal, source, services), services)
      throw error
    }
  },
}

/** The log names the operation of the core API that does the same without encryption. */
function auditContext(
  principal: Principal,
  { address: clientAddress, requestId }: SealedSource,
  { auditLog }: Pick<OriginServices, 'auditLog'>,
): AuditContext {
  return auditLog.contextOf({
    accountHash: principal.account.hash,
    operation: 'svc_action',
    actor: actorOf(principal),
    requestId,
    clientAddress,
  })
}
