/** Advice to the admin for each custom error of the contract (docs/contracts.md, Errors). */
const FIXES: Readonly<Record<string, string>> = {
  AccountDoesNotExist:
    'Open an account with newAccount, or connect the wallet that is the account’s admin.',
  AccountAlreadyExists:
    'Use a wallet that was never an admin of any account: such a one can not become an admin again.',
  NoAccountAccess:
    'Connect the wallet that is the account’s admin now; it may have been handed on.',
  ApiKeyRevoked: 'Connect the account’s admin wallet.',
  InvalidRequest: 'Correct the value that the contract names.',
  TooManyIds: 'Send fewer ids; a group that is full needs one taken out first, or a second group.',
  TooLong: 'Send a shorter text; it counts in bytes of UTF-8.',
  WalletDoesNotExist: 'Name one of listWallets, or 32 zero bytes for every wallet.',
  GroupDoesNotExist: 'Name one of listGroups; ids of removed groups are not used again.',
  ActionDoesNotExist: 'Record it with addAction, or permit it with addActionToGroup.',
  ActionAlreadyExists: 'Change its name or description with updateActionMetadata.',
  UsageApiKeyDoesNotExist: 'Name one of listApiKeys; removed keys are not in it.',
  UsageApiKeyAlreadyExists: 'Make the call again: another key is made.',
  ApiKeyHashAlreadyRevoked: 'Make the call again: another key is made.',
  TooMuchGas: 'Change less at once: no transaction may have more than 16,777,216 gas (EIP-7825).',
}

export function fixOf(errorName: string): string {
  if (Object.hasOwn(FIXES, errorName)) return FIXES[errorName]!
  return 'Look at docs/contracts.md for what this error means, and correct the values.'
}
