/** Layout of an event as one contract declares it. The known-events table is built from these layouts. */
export type EventLayout = {
  /** Canonical event signature, for example `Transfer(address,address,uint256)`. */
  canonical: string
  /** Zero-based positions of the indexed arguments, in ascending order. */
  indexed: readonly number[]
}

export type DeclaredInput = { type: string; indexed: boolean }

/**
 * Returns the layout of an event.
 * @returns `undefined` for an anonymous event, because its logs do not contain the event's topic
 */
export function layoutOf(name: string, inputs: readonly DeclaredInput[]): EventLayout | undefined {
  const indexed = [...inputs.keys()].filter((index) => inputs[index]!.indexed)
  // A log has four topics. A fourth indexed argument leaves no topic for the event signature, so the event is
  // anonymous.
  if (indexed.length > 3) return undefined
  return { canonical: `${name}(${inputs.map(({ type }) => type).join(',')})`, indexed }
}
