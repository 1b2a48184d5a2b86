/** Returns the interval of a trigger on blocks. Undefined for other triggers. */
export function blockInterval({ blocks }: Record<string, unknown>): number | undefined {
  const every: unknown = Reflect.get(Object(blocks), 'every')
  return typeof every === 'number' ? every : undefined
}
