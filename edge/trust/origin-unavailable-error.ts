/**
 * The origin could not be reached, was not verified, or did not send an authentic response. If the request was sent,
 * the run may have started. It is always safe to retry with the same run ID.
 */
export class OriginUnavailableError extends Error {
  /** True if the request certainly had no effect: the origin was not verified, or it rejected the envelope. */
  readonly isUnsent: boolean
  constructor(reason: string, options?: ErrorOptions & { isUnsent?: boolean }) {
    super(reason, options)
    this.name = 'OriginUnavailableError'
    this.isUnsent = options?.isUnsent === true
  }
}
