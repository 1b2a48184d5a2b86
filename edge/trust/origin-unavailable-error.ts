/**
 * The origin was unreachable, was not verified, or did not send an authentic response. The run may have started if the
 * request was sent. Retrying with the same run ID is always safe.
 */
export class OriginUnavailableError extends Error {
  /** True if the request definitely had no effect, because the origin was not verified or rejected the envelope. */
  readonly isUnsent: boolean
  constructor(reason: string, options?: ErrorOptions & { isUnsent?: boolean }) {
    super(reason, options)
    this.name = 'OriginUnavailableError'
    this.isUnsent = options?.isUnsent === true
  }
}
