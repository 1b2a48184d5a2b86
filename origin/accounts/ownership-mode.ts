/** What the mode of an account rules out (specification, States and transitions; Authentication 5 and 6). */
import type { Account, Principal } from './account.ts'
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

/** The API key from before a conversion, after the account was transferred to another wallet. */
export class OwnershipTransferred extends Error {
  readonly adminWallet: string

  constructor(adminWallet: string) {
    super('the ownership of the account was transferred')
    this.name = 'OwnershipTransferred'
    this.adminWallet = adminWallet
  }
}

/** The API key from before a conversion is good for billing alone. @throws {AccountChainSecured} */
export function requireLiveKey(principal: Principal): void {
  if (isFromBeforeConversion(principal))
    throw new AccountChainSecured(principal.account.adminWallet)
}

/** The API key from before a conversion reads bills until the account is transferred. @throws {OwnershipTransferred} */
export function requireBillingKey(principal: Principal): void {
  const { account } = principal
  if (isFromBeforeConversion(principal) && wasTransferred(account))
    throw new OwnershipTransferred(account.adminWallet)
}

function isFromBeforeConversion({ account, usageKey, wallet }: Principal): boolean {
  return !account.managed && !usageKey && wallet === undefined
}

/**
 * Whether `ChainSecuredAccountOwnershipTransferred` was ever emitted for the account. Each transfer registers the hash
 * of its new admin (`AliasSet`), and a wallet is the admin of one account once: more than one wallet's hash means a
 * transfer. These hashes are in every snapshot, so the answer also holds for transfers read by earlier versions.
 */
export function wasTransferred({ hashes }: Pick<Account, 'hashes'>): boolean {
  return [...hashes.values()].filter(({ wallet }) => wallet !== undefined).length > 1
}
