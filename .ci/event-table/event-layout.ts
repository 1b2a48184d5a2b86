export type EventLayout = {
  /** For example `Transfer(address,address,uint256)`. */
  canonical: string
  /** Zero-based, in ascending order. */
  indexed: readonly number[]
}

export type DeclaredInput = { type: string; indexed: boolean }

/** Undefined for an anonymous event, because its logs do not contain the event's topic. */
export function layoutOf(name: string, inputs: readonly DeclaredInput[]): EventLayout | undefined {
  const indexed = [...inputs.keys()].filter((index) => inputs[index]!.indexed)
  // A log has four topics. A fourth indexed argument leaves no topic for the signature, so the event is anonymous.
  if (indexed.length > 3) return undefined
  return { canonical: `${name}(${inputs.map(({ type }) => type).join(',')})`, indexed }
}
