/**
 * The origin could not be asked, was not verified, or did not answer under our key. Whether a run was begun is
 * not known once something was sent: asking again under the same run id is always safe.
 */
export class OriginAway extends Error {
  /** Nothing has reached the origin: it was not verified. */
  readonly isUnsent: boolean
  constructor(reason: string, options?: ErrorOptions & { isUnsent?: boolean }) {
    super(reason, options)
    this.name = 'OriginAway'
    this.isUnsent = options?.isUnsent === true
  }
}
