import { PARAMS_MAX_BYTES } from '../../shared/limits.ts'
import type { Refusal } from '../../shared/wire/sealed.ts'

/**
 * The largest factor by which a body can grow in params: a control character takes six bytes in JSON, and text occurs
 * in both `event` and `event_raw`.
 */
const GROWTH_MAX = 12
/** Room for everything else: `default_params`, headers, the URL and its query. */
const REST_BYTES = 512 * 1024

/**
 * Refuses params that are too large for the origin, without sending them. Two megabytes of control characters become 24
 * MB of JSON, and sealing it keeps several copies in memory.
 * @returns `undefined` if the params may be sent
 */
export function paramsRefusal(
  params: Record<string, unknown>,
  bodyBytes: number,
): Refusal | undefined {
  if (bodyBytes * GROWTH_MAX + REST_BYTES <= PARAMS_MAX_BYTES) return undefined
  const bytes = Buffer.byteLength(JSON.stringify(params))
  if (bytes <= PARAMS_MAX_BYTES) return undefined
  return {
    state: 'refused',
    status: 413,
    error: 'payload_too_large',
    message: `js_params: ${bytes} bytes, and at most ${PARAMS_MAX_BYTES} are taken.`,
    fix: 'Send a smaller event, or a reference that the action can fetch.',
  }
}
