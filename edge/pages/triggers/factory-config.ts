export type ShownFactory = { address: string; event: string; parameter: string }

/** Returns the factory of a trigger. Undefined for other triggers. */
export function shownFactory({ factory }: Record<string, unknown>): ShownFactory | undefined {
  if (typeof factory !== 'object' || factory === null) return undefined
  const text = (name: keyof ShownFactory) => {
    const value: unknown = Reflect.get(factory, name)
    return typeof value === 'string' ? value : ''
  }
  return { address: text('address'), event: text('event'), parameter: text('parameter') }
}
