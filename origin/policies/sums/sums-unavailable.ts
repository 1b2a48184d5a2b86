/** Thrown if the sums cannot be trusted. Nothing was reserved, and nothing may be signed. */
export class SumsUnavailableError extends Error {
  override readonly name = 'SumsUnavailableError'
}
