/**
 * Returns a mask in which bit n is set if the nth value is given. The contract replaces only the fields in the mask.
 */
export function fieldMask(values: readonly unknown[]): number {
  return values.reduce<number>(
    (mask, value, bit) => (value === undefined ? mask : mask + 2 ** bit),
    0,
  )
}
