import type { z } from 'zod'
import { MODE_PSK } from '../../shared/envelope/format.ts'
import { ApiError } from '../../shared/errors/api-error.ts'
import { SOURCE_MAX_BYTES } from '../../shared/limits.ts'
import {
  type ExecuteResponse,
  executeRequestSchema,
  SEALED_EXECUTE_PATH,
} from '../../shared/wire/sealed.ts'
import type { Principal } from '../accounts/account.ts'
import type { OriginServices } from '../services.ts'
import { authenticateKey } from './authenticate.ts'
import { jsParamsSchema } from './json/json-text.ts'
import { responseTo } from './respond-to-run.ts'
import { readParamsText, requireSize } from './size.ts'
import { requireNotReplayed, type SealedOperation } from './sealed.ts'

const schema = executeRequestSchema.extend({ js_params: jsParamsSchema })
type ExecuteRequest = z.infer<typeof schema>

/**
 * Executes an action for the edge or for an end-to-end encrypted client. The edge sends a run ID, so that the action
 * runs at most once. All permissions are checked here, regardless of any checks by the sender.
 */
export const sealedExecuteOperation: SealedOperation<ExecuteRequest> = {
  path: SEALED_EXECUTE_PATH,
  schema,
  members: { names: Object.keys(schema.shape), text: 'js_params' },
  handle: async (body, mode, services, heldBytes): Promise<ExecuteResponse> => {
    if (mode !== MODE_PSK) requireOwnKeyOnly(body)
    services.load.requireRoom()
    const principal = authenticateKey(readKey(body, services), services.mirror)
    services.keyUses.recordUse(principal.keyHash)
    if ('sealed_usage_key' in body.credential) requireUsageKey(principal)
    requireSize('code', body.code, SOURCE_MAX_BYTES)
    const params = readParamsText(body.js_params)
    const execution = { principal, code: body.code, params, heldBytes }
    if (!body.run) {
      await requireNotReplayed(body, services)
      return { state: 'ended', outcome: await services.executions.run(execution) }
    }
    return responseTo(await services.executions.runOnce(execution, body.run), body.wait_ms)
  },
}

/**
 * Rejects fields that only the edge may send: runs, client addresses and stored keys. Any client can send requests in
 * base mode.
 */
function requireOwnKeyOnly(body: ExecuteRequest): void {
  if (!body.run && body.client_address === undefined && 'api_key' in body.credential) return
  throw new ApiError(
    403,
    'Run IDs, client addresses and stored keys are accepted only from the edge.',
    'Send only an api_key, code and js_params.',
  )
}

/** Rejects account keys, with which a trigger or a compromised edge could do anything in the account. */
function requireUsageKey({ usageKey }: Principal): void {
  if (usageKey) return
  throw new ApiError(
    403,
    'The trigger has an account key, but triggers run only with usage keys.',
    'Create a usage key (add_usage_api_key) that can execute the action, and create the trigger with it.',
  )
}

function readKey({ credential, run }: ExecuteRequest, { channel }: OriginServices): string {
  if ('api_key' in credential) return credential.api_key
  if (!run?.id.startsWith(credential.trigger_id)) {
    throw new ApiError(
      403,
      'The usage key was sealed for a different trigger than the one of this run.',
      'Send the key that was sealed for the trigger of this run.',
    )
  }
  return channel.storedKeys.open(credential)
}
