/** What the mode of an account rules out (specification, States and transitions; Authentication 5 and 6). */
import type { Principal } from './account.ts'
import type { Chain } from './chain.ts'

/** What the admin wallet can send instead of asking the service. */
export type OwnWrite = { functionName: string } & Pick<Chain, 'contractAddress' | 'chainId'>

/** The account is written by its admin wallet, straight at the contract. */
export class AccountChainSecured extends Error {
  readonly adminWallet: string
  /** Absent where the refused request writes nothing. */
  readonly write: OwnWrite | undefined

  constructor(adminWallet: string, write?: OwnWrite) {
    super('the account is in ChainSecured mode')
    this.name = 'AccountChainSecured'
    this.adminWallet = adminWallet
    this.write = write
  }
}

/** There is no API key to rotate or to give up: who wants another credential hands the account to another wallet. */
const INSTEAD: Readonly<Record<string, string>> = {
  convertToChainSecuredAccount: 'transferChainSecuredAccountOwnership',
  rotateAccountApiKey: 'transferChainSecuredAccountOwnership',
}

/** The service has no authority over such an account, whoever asks. @throws {AccountChainSecured} */
export function requireManaged({ account }: Principal, write: OwnWrite): void {
  if (account.managed) return
  const functionName = INSTEAD[write.functionName] ?? write.functionName
  throw new AccountChainSecured(account.adminWallet, { ...write, functionName })
}

/** The API key that an account had before its conversion is worth nothing but billing. @throws {AccountChainSecured} */
export function requireLiveKey({ account, usageKey }: Principal): void {
  if (!account.managed && !usageKey) throw new AccountChainSecured(account.adminWallet)
}
