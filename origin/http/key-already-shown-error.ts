/**
 * A repeated request found that an earlier request had already registered a key and shown it in its response. The key
 * that the repeated request generated was never registered.
 */
export class KeyAlreadyShownError extends Error {
  override readonly name = 'KeyAlreadyShownError'
  readonly keyHash: string
  constructor(keyHash: string) {
    super(`the key ${keyHash} has already been shown`)
    this.keyHash = keyHash
  }
}
