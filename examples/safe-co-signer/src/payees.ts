import { getAddress } from 'viem'

/** Addresses that may be paid. The policy lists them too. */
export const PAYEES = [
  '0x000000000000000000000000000000000000bEEF',
  '0x000000000000000000000000000000000000dEaD',
].map((address) => getAddress(address))
