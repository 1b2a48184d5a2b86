import type { AbiType, EventSignature } from '../signature/event-signature.ts'

/** Log2 of the odds that an argument of a type is indexed, measured over published event declarations. */
const ODDS_BITS: Record<AbiType['kind'], number> = {
  address: 1.2,
  fixed_bytes: 1,
  uint: -1,
  int: -3,
  bool: -4,
  string: -3,
  bytes: -5,
  array: -5,
  tuple: -6,
}

/**
 * Penalty in bits if the indexed arguments are not the first ones. Seven of eight partly indexed events have their
 * first arguments indexed (`docs/decisions/0041`).
 */
const NOT_FIRST_BITS = 2.7

/** Choices with fewer bits are more likely. */
export function indexedPriorBits(signature: EventSignature, indexed: readonly number[]): number {
  const areFirst = indexed.every((index, place) => index === place)
  const odds = indexed.map((index) => ODDS_BITS[signature.inputs[index]!.type.kind])
  return odds.reduce((bits, odd) => bits - odd, areFirst ? 0 : NOT_FIRST_BITS)
}
