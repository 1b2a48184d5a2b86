/** Pattern of param names that suggest a secret. The values of such params are masked until the user reveals them. */
const SECRET_NAME = /secret|token|passw|key|credential|mnemonic|private/i

export const MASKED = '••••••••'

export function maskSecretParams(value: unknown): { value: unknown; masked: boolean } {
  let masked = false
  const mask = (inner: unknown): unknown => {
    if (Array.isArray(inner)) return inner.map(mask)
    if (typeof inner !== 'object' || inner === null) return inner
    // `Object.fromEntries` is safe for the name `__proto__`, because it defines a property instead of setting the
    // prototype.
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
