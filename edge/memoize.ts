/** The cache is cleared when it has `max` entries, because the keys come from users. */
export function memoize<Value>(
  max: number,
  compute: (key: string) => Value,
): (key: string) => Value {
  const cached = new Map<string, Value>()
  return (key) => {
    const known = cached.get(key)
    if (known !== undefined) return known
    if (cached.size >= max) cached.clear()
    const value = compute(key)
    cached.set(key, value)
    return value
  }
}
