/** Restrictions that result from the mode of an account (managed or ChainSecured). */
import type { Account, Principal } from './account.ts'
import type { Chain } from './chain.ts'

/** Contract call that an admin wallet can send instead of calling the service. */
export type OwnWrite = {
  functionName: string
  /** Method of the client library that sends the call. Undefined if the library has no such method. */
  clientMethod?: string
} & Pick<Chain, 'contractAddress' | 'chainId'>

/**
 * Thrown if the service cannot write to an account because the account is ChainSecured. The admin wallet must write to
 * the contract directly.
 */
export class AccountChainSecured extends Error {
  readonly adminWallet: string
  /** Contract call that the admin wallet can send instead. Undefined if the rejected request is not a write. */
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

// Contract calls that replace operations of managed accounts. A ChainSecured account has no API key to rotate or
// convert, but it can be transferred to another wallet.
const INSTEAD: Readonly<Record<string, typeof TRANSFER>> = {
  convertToChainSecuredAccount: TRANSFER,
  rotateAccountApiKey: TRANSFER,
}

/**
 * Rejects writes of the service to a ChainSecured account, regardless of the caller.
 * @throws {AccountChainSecured}
 */
export function requireManaged({ account }: Principal, write: OwnWrite): void {
  if (account.managed) return
  throw new AccountChainSecured(account.adminWallet, { ...write, ...INSTEAD[write.functionName] })
}

/** Thrown if an account key from before a conversion is used after the account was transferred to another wallet. */
export class OwnershipTransferred extends Error {
  readonly adminWallet: string

  constructor(adminWallet: string) {
    super('the ownership of the account was transferred')
    this.name = 'OwnershipTransferred'
    this.adminWallet = adminWallet
  }
}

/**
 * Rejects an account key from before a conversion. Such a key is valid only for billing.
 * @throws {AccountChainSecured}
 */
export function requireLiveKey(principal: Principal): void {
  if (isFromBeforeConversion(principal))
    throw new AccountChainSecured(principal.account.adminWallet)
}

/**
 * Allows an account key from before a conversion to read billing data, until the account is transferred.
 * @throws {OwnershipTransferred}
 */
export function requireBillingKey(principal: Principal): void {
  const { account } = principal
  if (isFromBeforeConversion(principal) && wasTransferred(account))
    throw new OwnershipTransferred(account.adminWallet)
}

function isFromBeforeConversion({ account, usageKey, wallet }: Principal): boolean {
  return !account.managed && !usageKey && wallet === undefined
}

/**
 * Returns true if `ChainSecuredAccountOwnershipTransferred` was ever emitted for the account. Each transfer registers
 * the hash of the new admin (`AliasSet`), and a wallet can be the admin of an account only once. More than one wallet
 * hash therefore implies a transfer. All snapshots contain these hashes, so transfers that were read by earlier
 * versions are detected as well.
 */
export function wasTransferred({ hashes }: Pick<Account, 'hashes'>): boolean {
  return [...hashes.values()].filter(({ wallet }) => wallet !== undefined).length > 1
}
