import { InvalidArgument } from './argument-failure.ts'

/**
 * What an update of the contract is to replace: bit n of `fields` for the n-th value that is given. Those that are not
 * stay as they are on the chain, so that a change made at the same time is not undone.
 * @param members what is given, and what stands in the place of what is not
 * @throws {InvalidArgument} where nothing is given
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
