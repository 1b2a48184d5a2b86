import { ApiError } from '../../shared/errors.ts'
import { PARAMS_MAX_BYTES } from '../../shared/limits.ts'
import { requireSize } from './size.ts'

/**
 * `js_params` as the JSON text that an action receives.
 * @throws {ApiError} 400 when it is nested so deeply that only parsing, and not writing, takes it; 413 when too large
 */
export function paramsText(jsParams: Record<string, unknown>): string {
  const text = textOf(jsParams)
  requireSize('js_params', text, PARAMS_MAX_BYTES)
  return text
}

function textOf(jsParams: Record<string, unknown>): string {
  try {
    return JSON.stringify(jsParams)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    throw new ApiError(400, 'js_params: nested too deeply.', 'Send params of fewer levels.')
  }
}
