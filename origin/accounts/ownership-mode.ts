import type { Account, Principal } from './account.ts'
import type { ContractChain } from './chain.ts'

type AdminWalletWrite = {
  functionName: string
  /** Name of the client library's method that sends the call. Undefined if the library has no such method. */
  clientMethod?: string
} & Pick<ContractChain, 'contractAddress' | 'chainId'>

/** The admin wallet must write to the contract directly. */
export class ChainSecuredAccountError extends Error {
  override readonly name = 'ChainSecuredAccountError'
  readonly adminWallet: string
  /** Contract call that the admin wallet can send instead. Undefined if the rejected request is not a write. */
  readonly write: AdminWalletWrite | undefined

  constructor(adminWallet: string, write?: AdminWalletWrite) {
    super('the account is in ChainSecured mode')
    this.adminWallet = adminWallet
    this.write = write
  }
}

const TRANSFER = {
  functionName: 'transferChainSecuredAccountOwnership',
  clientMethod: 'transferOwnership',
}

// Contract calls that replace operations of managed accounts. A ChainSecured account has no API key to rotate or
// convert, but its ownership can be transferred to another wallet.
const REPLACEMENTS: Readonly<Record<string, typeof TRANSFER>> = {
  convertToChainSecuredAccount: TRANSFER,
  rotateAccountApiKey: TRANSFER,
}

/** @throws {ChainSecuredAccountError} regardless of the caller */
export function requireManaged({ account }: Principal, write: AdminWalletWrite): void {
  if (account.managed) return
  throw new ChainSecuredAccountError(account.adminWallet, {
    ...write,
    ...REPLACEMENTS[write.functionName],
  })
}

/** Thrown if an account key from before a conversion is used after the account was transferred to another wallet. */
export class OwnershipTransferredError extends Error {
  override readonly name = 'OwnershipTransferredError'
  readonly adminWallet: string

  constructor(adminWallet: string) {
    super('the ownership of the account was transferred')
    this.adminWallet = adminWallet
  }
}

/**
 * Rejects an account key from before the account's conversion. Such a key is valid only for billing.
 * @throws {ChainSecuredAccountError}
 */
export function requireUnconvertedKey(principal: Principal): void {
  if (isFromBeforeConversion(principal))
    throw new ChainSecuredAccountError(principal.account.adminWallet)
}

/**
 * Allows an account key from before the account's conversion, but only until the account is transferred.
 * @throws {OwnershipTransferredError}
 */
export function requireBillingKey(principal: Principal): void {
  const { account } = principal
  if (isFromBeforeConversion(principal) && wasTransferred(account))
    throw new OwnershipTransferredError(account.adminWallet)
}

function isFromBeforeConversion({ account, usageKey, wallet }: Principal): boolean {
  return !account.managed && !usageKey && wallet === undefined
}

/**
 * Returns true if the account was ever transferred. Each transfer registers the hash of the new admin (`AliasSet`), and
 * a wallet can be the admin of an account only once, so more than one wallet hash implies a transfer. All snapshots
 * contain the wallet hashes, so transfers that were read by earlier versions are detected as well.
 */
export function wasTransferred({ hashes }: Pick<Account, 'hashes'>): boolean {
  return [...hashes.values()].filter(({ wallet }) => wallet !== undefined).length > 1
}
