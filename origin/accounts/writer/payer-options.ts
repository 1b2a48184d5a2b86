/** Default number of payers. With four, a stuck transaction delays only a quarter of the writes. */
export const PAYERS_DEFAULT = 4

/** More payers than any chain needs for our writes, and few enough to poll all their balances. */
export const PAYERS_MAX = 64
