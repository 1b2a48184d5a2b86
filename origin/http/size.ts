import { ApiError } from '../../shared/errors.ts'

/** Checks the size of a text field. @throws {ApiError} 413 if the UTF-8 text has more than `maxBytes` */
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
