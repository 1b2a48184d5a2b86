import { PARAMS_MAX_BYTES } from '../../shared/limits.ts'
import type { SealedRefusal } from '../../shared/wire/sealed.ts'

/**
 * Refuses params that are too large for the origin, without sending them. A body of 2 MB of control characters becomes
 * 24 MB of JSON, and encrypting that JSON requires several copies in memory.
 * @param params JSON text
 * @returns `undefined` if the params may be sent
 */
export function paramsRefusal(params: string): SealedRefusal | undefined {
  // A character takes at most three bytes.
  if (params.length * 3 <= PARAMS_MAX_BYTES) return undefined
  const bytes = Buffer.byteLength(params)
  if (bytes <= PARAMS_MAX_BYTES) return undefined
  return {
    state: 'refused',
    status: 413,
    error: 'payload_too_large',
    message: `js_params: ${bytes} bytes exceed the limit of ${PARAMS_MAX_BYTES}.`,
    fix: 'Send a smaller event, or a reference that the action can fetch.',
  }
}
