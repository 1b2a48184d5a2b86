/** As a wallet ID, every wallet of the account; as a CID hash, every action. */
export const WILDCARD = `0x${'0'.repeat(64)}`
