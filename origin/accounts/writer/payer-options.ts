/** With four payers, a stuck transaction delays only a quarter of the writes. */
export const PAYERS_DEFAULT = 4

/** No chain needs more for our writes, and the balances can still all be polled. */
export const PAYERS_MAX = 64
