/** A log is not an encoding of the types that it was read as. The message ends a sentence about it. */
export class Unfit extends Error {
  override name = 'Unfit'
}
