/**
 * A repeated request joined the earlier write, whose response showed the key; the key that it generated itself was
 * never registered.
 */
export class KeyAlreadyShownError extends Error {
  readonly keyHash: string
  constructor(keyHash: string) {
    super(`the key ${keyHash} has already been shown`)
    this.name = 'KeyAlreadyShownError'
    this.keyHash = keyHash
  }
}
