import { ApiError } from '../../shared/errors.ts'

/** @throws {ApiError} 413 if the UTF-8 text has more than `maxBytes` */
export function requireSize(field: string, text: string, maxBytes: number): void {
  if (text.length <= maxBytes / 3) return
  const bytes = Buffer.byteLength(text)
  if (bytes <= maxBytes) return
  throw new ApiError(
    413,
    `${field}: ${bytes} bytes, and at most ${maxBytes} are taken.`,
    `Send at most ${maxBytes} bytes.`,
  )
}
