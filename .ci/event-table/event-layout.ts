/** An event as one contract declares it: the facts that the table of known events is made of. */
export type EventLayout = {
  /** `Transfer(address,address,uint256)`. */
  canonical: string
  /** Positions of the indexed arguments, ascending. */
  indexed: readonly number[]
}

export type DeclaredInput = { type: string; indexed: boolean }

/** @returns `undefined` for an event that cannot be one of a log with its own topic */
export function layoutOf(name: string, inputs: readonly DeclaredInput[]): EventLayout | undefined {
  const indexed = [...inputs.keys()].filter((index) => inputs[index]!.indexed)
  // A fourth indexed argument needs the first topic: the event is anonymous.
  if (indexed.length > 3) return undefined
  return { canonical: `${name}(${inputs.map(({ type }) => type).join(',')})`, indexed }
}
