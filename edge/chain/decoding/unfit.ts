/** A log is not an encoding of the assumed types. The message becomes the log's `decode_error`. */
export class LogDecodeError extends Error {
  override name = 'LogDecodeError'
}
