export function checked(amount: number): number {
  if (amount > 100) throw new RangeError(`${amount} is too much`)
  return amount
}
