/** The chain's nodes are asked for as many previews as they may be. */
export class PreviewBusy extends Error {
  override name = 'PreviewBusy'
  readonly retryAfterS: number
  constructor(retryAfterS: number) {
    super('too many previews of this chain are under way')
    this.retryAfterS = retryAfterS
  }
}
