/** Who is paid, and how much USDC a month. The policy has the same addresses, so that both have to change. */
export const PAYEES = [
  { name: 'alice', address: '0x000000000000000000000000000000000000bEEF', usdc: '2500' },
  { name: 'bob', address: '0x000000000000000000000000000000000000dEaD', usdc: '1500' },
] as const
