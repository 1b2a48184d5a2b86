import { PARAMS_MAX_BYTES } from '../../shared/limits.ts'
import type { Refusal } from '../../shared/wire/sealed.ts'

/**
 * The most that a body may grow to in params: a control character is six bytes of JSON, and a text is there as
 * `event` and as `event_raw`.
 */
const GROWTH_MAX = 12
/** Room for all else: `default_params`, headers, the URL and its query. */
const REST_BYTES = 512 * 1024

/**
 * The origin's refusal of params that are too large, without sending them: two megabytes of control characters are
 * twenty-four in JSON, which an object that seals them holds several times at once.
 * @returns `undefined` for params that may be sent
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
