/** The payees, with the USDC that each gets a month. The policy lists the same addresses, so both have to change. */
export const PAYEES = [
  { name: 'alice', address: '0x000000000000000000000000000000000000bEEF', usdc: '2500' },
  { name: 'bob', address: '0x000000000000000000000000000000000000dEaD', usdc: '1500' },
] as const
