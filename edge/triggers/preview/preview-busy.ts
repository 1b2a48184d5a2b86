/** The chain's limit of concurrent previews is reached. */
export class PreviewBusyError extends Error {
  override name = 'PreviewBusyError'
  readonly retryAfterS: number
  constructor(retryAfterS: number) {
    super('too many previews of this chain are in progress')
    this.retryAfterS = retryAfterS
  }
}
