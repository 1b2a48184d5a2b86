/** Thrown if the sums cannot be trusted. Nothing was reserved, and the caller must not sign. */
export class SumsUnavailableError extends Error {
  override readonly name = 'SumsUnavailableError'
}
