/** Restrictions that follow from an account's mode (managed or ChainSecured). */
import type { Account, Principal } from './account.ts'
import type { Chain } from './chain.ts'

/** The contract call that the admin wallet can send instead of calling the service. */
export type OwnWrite = {
  functionName: string
  /** The client library's method that sends it. */
  clientMethod?: string
} & Pick<Chain, 'contractAddress' | 'chainId'>

/** The service cannot write to this account; its admin wallet writes to the contract directly. */
export class AccountChainSecured extends Error {
  readonly adminWallet: string
  /** Absent if the rejected request is not a write. */
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

// A ChainSecured account has no API key to rotate or convert; transferring it to another wallet takes their place.
const INSTEAD: Readonly<Record<string, typeof TRANSFER>> = {
  convertToChainSecuredAccount: TRANSFER,
  rotateAccountApiKey: TRANSFER,
}

/** Rejects service writes to a ChainSecured account, regardless of the caller. @throws {AccountChainSecured} */
export function requireManaged({ account }: Principal, write: OwnWrite): void {
  if (account.managed) return
  throw new AccountChainSecured(account.adminWallet, { ...write, ...INSTEAD[write.functionName] })
}

/** The account key from before a conversion is used after the account was transferred to another wallet. */
export class OwnershipTransferred extends Error {
  readonly adminWallet: string

  constructor(adminWallet: string) {
    super('the ownership of the account was transferred')
    this.name = 'OwnershipTransferred'
    this.adminWallet = adminWallet
  }
}

/** Rejects the account key from before a conversion, which is valid only for billing. @throws {AccountChainSecured} */
export function requireLiveKey(principal: Principal): void {
  if (isFromBeforeConversion(principal))
    throw new AccountChainSecured(principal.account.adminWallet)
}

/** Lets the account key from before a conversion read billing data until a transfer. @throws {OwnershipTransferred} */
export function requireBillingKey(principal: Principal): void {
  const { account } = principal
  if (isFromBeforeConversion(principal) && wasTransferred(account))
    throw new OwnershipTransferred(account.adminWallet)
}

function isFromBeforeConversion({ account, usageKey, wallet }: Principal): boolean {
  return !account.managed && !usageKey && wallet === undefined
}

/**
 * Returns whether `ChainSecuredAccountOwnershipTransferred` was ever emitted for the account. Each transfer registers
 * the hash of the new admin (`AliasSet`), and a wallet can be the admin of an account only once, so more than one
 * wallet hash implies a transfer. These hashes are in every snapshot, so this also covers transfers read by earlier
 * versions.
 */
export function wasTransferred({ hashes }: Pick<Account, 'hashes'>): boolean {
  return [...hashes.values()].filter(({ wallet }) => wallet !== undefined).length > 1
}
