import { PARAMS_MAX_BYTES } from '../../shared/limits.ts'
import type { SealedRefusal } from '../../shared/wire/sealed.ts'

/**
 * Maximum factor by which a body can grow when it becomes part of the params. A control character takes six bytes in
 * JSON, and the text appears in both `event` and `event_raw`.
 */
const GROWTH_MAX = 12
/** Bytes reserved for `default_params`, headers, the URL and its query. */
const RESERVED_BYTES = 512 * 1024

/**
 * Refuses params that are too large for the origin, without sending them. A body of 2 MB of control characters becomes
 * 24 MB of JSON, and encrypting that JSON requires several copies in memory.
 * @returns `undefined` if the params may be sent
 */
export function paramsRefusal(
  params: Record<string, unknown>,
  bodyBytes: number,
): SealedRefusal | undefined {
  if (bodyBytes * GROWTH_MAX + RESERVED_BYTES <= PARAMS_MAX_BYTES) return undefined
  const bytes = Buffer.byteLength(JSON.stringify(params))
  if (bytes <= PARAMS_MAX_BYTES) return undefined
  return {
    state: 'refused',
    status: 413,
    error: 'payload_too_large',
    message: `js_params: ${bytes} bytes exceed the limit of ${PARAMS_MAX_BYTES}.`,
    fix: 'Send a smaller event, or a reference that the action can fetch.',
  }
}
