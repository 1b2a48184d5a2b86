import { getBytes, isHexString, zeroPadValue } from 'ethers'
import { type RunPermission, walletForRun, WILDCARD } from '../accounts/permissions.ts'
import type { Principal, Wallet } from '../accounts/state.ts'
import type { Keyring } from '../keys/keyring.ts'
import { KeyRefused } from './key-refused.ts'

/** Who runs the action, and what the groups permit it at this moment. */
export type Permitted = { principal: Principal; permission: RunPermission }

/**
 * The wallet that an operation names, where a group that permits the action also permits it.
 * @param operation its name, for the refusal
 * @param asked an address, or that padded to 32 bytes, in hex of any case
 * @throws {KeyRefused}
 */
export function permittedWallet(
  keyring: Keyring,
  operation: string,
  { principal, permission }: Permitted,
  asked: string,
): Wallet {
  const pkpId = pkpIdOf(operation, asked)
  const found = walletForRun(principal, permission, pkpId)
  const { hash } = principal.account
  if (!found.allowed && found.reason === 'not_permitted')
    throw new KeyRefused(
      `${operation}: wallet ${asked} is in no group that permits the action ${permission.cid}; add both to one group (add_pkp_to_group, add_action_to_group)`,
    )
  // Anybody may register any address for an account of his own; only the derived one is that account's.
  if (!found.allowed || walletIdOf(keyring, hash, found.wallet.derivationPath) !== pkpId)
    throw new KeyRefused(`${operation}: this account has no wallet ${asked}`)
  return found.wallet
}

function walletIdOf(keyring: Keyring, accountHash: string, path: string): string {
  return zeroPadValue(keyring.walletPublicKey(accountHash, path).address, 32).toLowerCase()
}

/** A wallet's id as 32-byte hex, lower-case, from that or a 20-byte address. */
function pkpIdOf(operation: string, text: string): string {
  if (!isHexString(text, 20) && !isHexString(text, 32))
    throw new KeyRefused(
      `${operation}: pkpId must be a wallet address or its 32-byte id, as 0x and hex`,
    )
  const pkpId = zeroPadValue(getBytes(text), 32).toLowerCase()
  if (pkpId === WILDCARD) throw new KeyRefused(`${operation}: pkpId must name one wallet`)
  return pkpId
}
