import { InvalidArgument } from './argument-failure.ts'

/**
 * Bit n of `fields` is set if the n-th value is given. The contract does not change the other values, so a concurrent
 * change to them is not overwritten.
 * @param members each with a placeholder, which is used if the value is absent
 * @throws {InvalidArgument} if no value is given
 */
export function maskedUpdate(members: readonly [given: unknown, absent: unknown][]) {
  let fields = 0
  const values = members.map(([given, absent], bit) => {
    if (given === undefined) return absent
    fields += 2 ** bit
    return given
  })
  if (fields === 0) throw new InvalidArgument('fields', 'expected at least one field to change')
  return { fields, values }
}
