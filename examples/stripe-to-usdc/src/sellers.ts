/** Sellers, by the name in the metadata of a checkout. The policy lists the same addresses, so that both have to change. */
export const SELLERS = {
  alice: '0x000000000000000000000000000000000000bEEF',
  bob: '0x000000000000000000000000000000000000dEaD',
} as const
