import { InvalidArgument } from './argument-failure.ts'

/**
 * Builds the bit mask of a contract update: bit n of `fields` is set if the n-th value is given. Other values stay
 * unchanged on chain, so that a concurrent change is not overwritten.
 * @param members pairs of the given value and a placeholder for an absent one
 * @throws {InvalidArgument} if no value is given
 */
export function masked(members: readonly [given: unknown, absent: unknown][]) {
  let fields = 0
  const values = members.map(([given, absent], bit) => {
    if (given === undefined) return absent
    fields += 2 ** bit
    return given
  })
  if (fields === 0)
    throw new InvalidArgument('fields', 'expected one at least, else there is nothing to change')
  return { fields, values }
}
