import { getBytes, isHexString, zeroPadValue } from 'ethers'
import { WILDCARD } from '../../shared/cid/wildcard.ts'
import type { AccountWallet, Principal } from '../accounts/account.ts'
import { ContractUnavailableError } from '../accounts/chain.ts'
import { permissionToRun, type RunPermission, walletForRun } from '../accounts/permissions.ts'
import type { Keyring } from '../keys/keyring.ts'
import { type PolicyWallet, policyWalletOf } from '../policies/policy-wallet.ts'

/** Thrown if a key operation is refused. The message is shown to the action's author. */
export class KeyRefusedError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'KeyRefusedError'
  }
}

export type RunGrant = { principal: Principal; permission: RunPermission }

export type PlainWallet = {
  accountHash: string
  derivationPath: string
  /** EIP-55 address. */
  address: string
  policy?: undefined
}

export type RunWallet = PlainWallet | PolicyWallet

/** @throws {KeyRefusedError} */
export function requirePermission(
  operation: string,
  cid: string,
  currentPrincipal: () => Principal,
): RunGrant {
  try {
    const principal = currentPrincipal()
    const permission = permissionToRun(principal, cid)
    if (permission) return { principal, permission }
  } catch (error) {
    if (error instanceof ContractUnavailableError)
      throw new KeyRefusedError(`${operation}: permissions cannot be checked: ${error.message}`)
  }
  throw new KeyRefusedError(
    `${operation}: the API key that started this run has been revoked or is no longer allowed to run the action ${cid}`,
  )
}

/**
 * Returns the wallet if a group that permits the action also permits the wallet.
 * @param requested the wallet's address, or the address padded to 32 bytes, as hex in any case
 * @param chainTime returns the timestamp of the chain's head in Unix seconds. If omitted, wallets with a policy are
 * refused
 * @throws {KeyRefusedError}
 */
export function permittedWallet(
  keyring: Keyring,
  operation: string,
  { principal, permission }: RunGrant,
  requested: string,
  chainTime?: () => number,
): RunWallet {
  const pkpId = pkpIdOf(operation, requested)
  const found = walletForRun(principal, permission, pkpId)
  const { hash } = principal.account
  if (!found.allowed && found.reason === 'not_permitted')
    throw new KeyRefusedError(
      `${operation}: the wallet ${requested} and the action ${permission.cid} are not in the same group; add both to one group (add_pkp_to_group, add_action_to_group)`,
    )
  const derived = found.allowed && derivedWallet(keyring, hash, found.wallet, chainTime)
  if (derived) return derived
  throw new KeyRefusedError(`${operation}: the account has no wallet ${requested}`)
}

/**
 * Returns undefined if the key that is derived from the account and the path does not have the wallet's address,
 * because an account can register any address as a wallet, with or without a policy.
 */
export function derivedWallet(
  keyring: Keyring,
  accountHash: string,
  wallet: AccountWallet,
  chainTime?: () => number,
): RunWallet | undefined {
  const { pkpId, derivationPath } = wallet
  if (wallet.policy) return chainTime && policyWalletOf(keyring, accountHash, wallet, chainTime())
  const { address } = keyring.walletPublicKey(accountHash, derivationPath)
  if (zeroPadValue(address, 32).toLowerCase() !== pkpId) return undefined
  return { accountHash, derivationPath, address }
}

/** Converts a wallet ID or a 20-byte address to a wallet ID: 32 bytes as lower-case hex. */
function pkpIdOf(operation: string, text: string): string {
  if (!isHexString(text, 20) && !isHexString(text, 32))
    throw new KeyRefusedError(
      `${operation}: pkpId must be a wallet address or its 32-byte ID, in hex with 0x`,
    )
  const pkpId = zeroPadValue(getBytes(text), 32).toLowerCase()
  if (pkpId === WILDCARD) throw new KeyRefusedError(`${operation}: pkpId must identify one wallet`)
  return pkpId
}
