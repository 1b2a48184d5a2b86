/**
 * Removes an object's null members, because generated clients send null for absent optional fields
 * (docs/decisions/0072-null-and-email.md). Nested nulls are data and preserved. `withoutNulls` follows a schema
 * instead.
 * @returns the value itself if it has no null members
 */
export function withoutNullMembers<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  if (!Object.values(value).includes(null)) return value
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== null)) as Value
}
