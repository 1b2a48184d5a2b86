/**
 * A repeated request joined the earlier write, whose response showed the key; the key that it generated itself was
 * never registered.
 */
export class KeyAlreadyShownError extends Error {
  override readonly name = 'KeyAlreadyShownError'
  readonly keyHash: string
  constructor(keyHash: string) {
    super(`the key ${keyHash} has already been shown`)
    this.keyHash = keyHash
  }
}
