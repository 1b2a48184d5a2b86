export function withoutUndefined<T extends object>(fields: T): Partial<T> {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined)
  return Object.fromEntries(given) as Partial<T>
}
