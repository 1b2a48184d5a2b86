export function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  // Objects of another realm, such as that of a test environment, have another Object.prototype.
  return prototype === null || Object.getPrototypeOf(prototype) === null
}
