/** Names of params whose value a page shows only to who asks for it. */
const SECRET_NAME = /secret|token|passw|key|credential|mnemonic|private/i

/** What stands in place of such a value. */
export const MASKED = '••••••••'

/** The same params, at every depth, with what looks like a secret by its name masked. */
export function maskedParams(value: unknown): { value: unknown; masked: boolean } {
  let masked = false
  const mask = (inner: unknown): unknown => {
    if (Array.isArray(inner)) return inner.map(mask)
    if (typeof inner !== 'object' || inner === null) return inner
    // Of a name that is `__proto__` too: nothing is set, members are made.
    return Object.fromEntries(
      Object.entries(inner).map(([name, member]) => {
        if (!SECRET_NAME.test(name)) return [name, mask(member)]
        masked = true
        return [name, MASKED]
      }),
    )
  }
  return { value: mask(value), masked }
}
