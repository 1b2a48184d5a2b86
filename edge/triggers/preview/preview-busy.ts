/** The chain's limit of concurrent previews is reached. */
export class PreviewBusy extends Error {
  override name = 'PreviewBusy'
  readonly retryAfterS: number
  constructor(retryAfterS: number) {
    super('too many previews of this chain are in progress')
    this.retryAfterS = retryAfterS
  }
}
