/**
 * Wildcard of all zeros. As a wallet ID, it means every wallet of the account. As a CID hash, it means every action.
 */
export const WILDCARD = `0x${'0'.repeat(64)}`
