/** Values of a form or a query by name. A repeated name has an array of its values, in order. */
export type ValuesByName = Record<string, string | string[]>

export function valuesByName(pairs: Iterable<readonly [string, string]>): ValuesByName {
  const values = new Map<string, string | string[]>()
  for (const [name, value] of pairs) {
    const known = values.get(name)
    if (known === undefined) values.set(name, value)
    else if (typeof known === 'string') values.set(name, [known, value])
    else known.push(value)
  }
  // Defines own properties, `__proto__` included. An object without a prototype cannot cross an RPC.
  return Object.fromEntries(values)
}
