/** A log is not an encoding of the assumed types. The message becomes the log's `decode_error`. */
export class Unfit extends Error {
  override name = 'Unfit'
}
