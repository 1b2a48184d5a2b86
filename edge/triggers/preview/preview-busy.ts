/** Thrown if the limit of concurrent previews for a chain is reached. */
export class PreviewBusy extends Error {
  override name = 'PreviewBusy'
  readonly retryAfterS: number
  constructor(retryAfterS: number) {
    super('too many previews of this chain are in progress')
    this.retryAfterS = retryAfterS
  }
}
