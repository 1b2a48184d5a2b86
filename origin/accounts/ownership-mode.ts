/** What the mode of an account rules out (specification, States and transitions; Authentication 5 and 6). */
import type { Principal } from './account.ts'
import type { Chain } from './chain.ts'

/** What the admin wallet can send instead of asking the service. */
export type OwnWrite = {
  functionName: string
  /** The method of the client library that sends it. */
  clientMethod?: string
} & Pick<Chain, 'contractAddress' | 'chainId'>

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

const TRANSFER = {
  functionName: 'transferChainSecuredAccountOwnership',
  clientMethod: 'transferOwnership',
}

/** There is no API key to rotate or to give up: who wants another credential hands the account to another wallet. */
const INSTEAD: Readonly<Record<string, typeof TRANSFER>> = {
  convertToChainSecuredAccount: TRANSFER,
  rotateAccountApiKey: TRANSFER,
}

/** The service has no authority over such an account, whoever asks. @throws {AccountChainSecured} */
export function requireManaged({ account }: Principal, write: OwnWrite): void {
  if (account.managed) return
  throw new AccountChainSecured(account.adminWallet, { ...write, ...INSTEAD[write.functionName] })
}

/** The API key that an account had before its conversion is worth nothing but billing. @throws {AccountChainSecured} */
export function requireLiveKey({ account, usageKey, wallet }: Principal): void {
  if (!account.managed && !usageKey && wallet === undefined)
    throw new AccountChainSecured(account.adminWallet)
}
