import type { AbiType, EventSignature } from '../signature/event-signature.ts'

/** A type's odds of being indexed, in bits: 1 is twice as often as not. Counted over declared events. */
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

/** Seven of eight partly indexed events mark their first arguments (`reference/triggers.md`, 4.4). */
const NOT_FIRST_BITS = 2.7

/** How unusual it is to mark these, before any log is seen. */
export function indexedPriorBits(signature: EventSignature, indexed: readonly number[]): number {
  const areFirst = indexed.every((index, place) => index === place)
  const odds = indexed.map((index) => ODDS_BITS[signature.inputs[index]!.type.kind])
  return odds.reduce((bits, odd) => bits - odd, areFirst ? 0 : NOT_FIRST_BITS)
}
