/**
 * Values of a form or a query string by name. If a name is repeated, its value is an array of all its values, in order.
 */
export type ValuesByName = Record<string, string | string[]>

export function valuesByName(pairs: Iterable<readonly [string, string]>): ValuesByName {
  const values = new Map<string, string | string[]>()
  for (const [name, value] of pairs) {
    const known = values.get(name)
    if (known === undefined) values.set(name, value)
    else if (typeof known === 'string') values.set(name, [known, value])
    else known.push(value)
  }
  // `Object.fromEntries` defines own properties, even for the name `__proto__`. An object without a prototype is not an
  // option, because it cannot be sent over RPC.
  return Object.fromEntries(values)
}
