/** Writes go out on this many wallets: one whose transaction is stuck holds up a quarter of them. */
export const PAYERS_DEFAULT = 4

/** More than any chain takes writes from us, and few enough to look at all their balances. */
export const PAYERS_MAX = 64
