/** `${wallet:treasury}` in the config or the params of a trigger stands for the address of a wallet of the project. */
const REFERENCE = /\$\{wallet:([^}]*)\}/g

/** Returns the wallets that a value refers to, each with the path of the text. */
export function walletNamesIn(
  value: unknown,
  path: readonly (string | number)[] = [],
): { path: readonly (string | number)[]; wallet: string }[] {
  if (typeof value === 'string')
    return [...value.matchAll(REFERENCE)].map(([, wallet]) => ({ path, wallet: wallet! }))
  if (typeof value !== 'object' || value === null) return []
  const isList = Array.isArray(value)
  return Object.entries(value).flatMap(([name, inner]) =>
    walletNamesIn(inner, [...path, isList ? Number(name) : name]),
  )
}

/**
 * Replaces references by addresses.
 * @param addressOf returns `undefined` for a wallet that does not exist yet, whose reference stays
 */
export function withAddresses<Value>(
  value: Value,
  addressOf: (wallet: string) => string | undefined,
): Value {
  const replaced = (inner: unknown): unknown => {
    if (typeof inner === 'string')
      return inner.replace(REFERENCE, (whole, wallet: string) => addressOf(wallet) ?? whole)
    if (Array.isArray(inner)) return inner.map(replaced)
    if (typeof inner !== 'object' || inner === null) return inner
    return Object.fromEntries(Object.entries(inner).map(([name, of]) => [name, replaced(of)]))
  }
  return replaced(value) as Value
}
