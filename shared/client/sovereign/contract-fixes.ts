/** Advice for the account's admin, by custom error of the contract (docs/contracts.md, Errors). */
const FIXES: Readonly<Record<string, string>> = {
  AccountDoesNotExist: 'Open an account with newAccount, or connect the account’s admin wallet.',
  AccountAlreadyExists:
    'Use a wallet that was never the admin of an account: a former admin cannot become one again.',
  NoAccountAccess:
    'Connect the account’s current admin wallet; the account may have been transferred.',
  ApiKeyRevoked: 'Connect the account’s admin wallet.',
  InvalidRequest: 'Correct the value that the error names.',
  TooManyIds:
    'Send fewer IDs. If the group is full, remove an entry first, or create another group.',
  TooLong: 'Send a shorter text. Its length is counted in UTF-8 bytes.',
  WalletDoesNotExist: 'Use a wallet from listWallets, or 32 zero bytes for every wallet.',
  GroupDoesNotExist: 'Use a group from listGroups. IDs of removed groups are not reused.',
  ActionDoesNotExist:
    'Register the action with addAction, or with addActionToGroup, which also permits it in a group.',
  ActionAlreadyExists: 'To change the name or description of the action, use updateActionMetadata.',
  UsageApiKeyDoesNotExist: 'Use a key from listApiKeys, which does not include removed keys.',
  UsageApiKeyAlreadyExists: 'Retry the call; a different key will be generated.',
  ApiKeyHashAlreadyRevoked: 'Retry the call; a different key will be generated.',
  TooMuchGas:
    'Make fewer changes in one call. A transaction is limited to 16,777,216 gas (EIP-7825).',
}

export function fixOf(errorName: string): string {
  if (Object.hasOwn(FIXES, errorName)) return FIXES[errorName]!
  return 'See docs/contracts.md for the meaning of this error, and correct the values.'
}
