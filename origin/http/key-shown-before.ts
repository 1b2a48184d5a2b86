/**
 * A repeated request would return a key that an earlier response already showed. The repeated request joined the
 * earlier write, so the key that it generated itself was never registered.
 */
export class KeyShownBefore extends Error {
  readonly keyHash: string
  constructor(keyHash: string) {
    super(`the key ${keyHash} has already been shown`)
    this.name = 'KeyShownBefore'
    this.keyHash = keyHash
  }
}
