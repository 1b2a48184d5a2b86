import { PARAMS_MAX_BYTES } from '../../shared/limits.ts'
import type { JsonText } from './json/json-text.ts'
import { requireSize } from './size.ts'

/** @throws {ApiError} 413 if the text is too large */
export function readParamsText({ text }: JsonText): string {
  requireSize('js_params', text, PARAMS_MAX_BYTES)
  return text
}
