import { ApiError } from '../../shared/errors/api-error.ts'
import { PARAMS_MAX_BYTES } from '../../shared/limits.ts'
import type { JsonText } from './json/json-text.ts'

/** @throws {ApiError} 413 if the text is longer than `maxBytes` in UTF-8 */
export function requireSize(field: string, text: string, maxBytes: number): void {
  if (text.length <= maxBytes / 3) return
  const bytes = Buffer.byteLength(text)
  if (bytes <= maxBytes) return
  throw new ApiError(
    413,
    `${field}: ${bytes} bytes exceed the limit of ${maxBytes}.`,
    `Send at most ${maxBytes} bytes.`,
  )
}

/** @throws {ApiError} 413 if the text is too large */
export function readParamsText({ text }: JsonText): string {
  requireSize('js_params', text, PARAMS_MAX_BYTES)
  return text
}
