/**
 * The request made a key, whose only showing was another answer: a repeat that joins the write of the request before
 * it made up a key of its own, and that one is in no account.
 */
export class KeyShownBefore extends Error {
  readonly keyHash: string
  constructor(keyHash: string) {
    super(`the key ${keyHash} was shown before`)
    this.name = 'KeyShownBefore'
    this.keyHash = keyHash
  }
}

/**
 * A repeat joins the write of the request before it, and made up a key of its own: that one is in no account.
 * @param registered the hash that the receipt names
 * @throws {KeyShownBefore} where it is not the hash of the key that is about to be shown
 */
export function requireShownNow(registered: string, shown: string): void {
  if (registered.toLowerCase() !== shown.toLowerCase()) throw new KeyShownBefore(registered)
}
