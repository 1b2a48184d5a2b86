/** The limit of concurrent previews for this chain is reached. */
export class PreviewBusy extends Error {
  override name = 'PreviewBusy'
  readonly retryAfterS: number
  constructor(retryAfterS: number) {
    super('too many previews of this chain are under way')
    this.retryAfterS = retryAfterS
  }
}
