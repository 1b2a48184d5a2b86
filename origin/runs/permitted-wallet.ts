import { getBytes, isHexString, zeroPadValue } from 'ethers'
import { type RunPermission, walletForRun, WILDCARD } from '../accounts/permissions.ts'
import type { Principal, Wallet } from '../accounts/state.ts'
import type { Keyring } from '../keys/keyring.ts'
import { KeyRefused } from './key-refused.ts'

/** The principal that runs the action, and its permission at this moment. */
export type Permitted = { principal: Principal; permission: RunPermission }

/**
 * Returns the wallet that an operation names, if a group that permits the action also permits the wallet.
 * @param operation its name, for error messages
 * @param asked an address, or the address padded to 32 bytes, as hex in any case
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
  // Anyone may register any address in an account of their own. Only a derived address belongs to the account.
  if (!found.allowed || walletIdOf(keyring, hash, found.wallet.derivationPath) !== pkpId)
    throw new KeyRefused(`${operation}: this account has no wallet ${asked}`)
  return found.wallet
}

function walletIdOf(keyring: Keyring, accountHash: string, path: string): string {
  return zeroPadValue(keyring.walletPublicKey(accountHash, path).address, 32).toLowerCase()
}

/** Returns a wallet's ID as 32-byte hex in lower case, from the ID or from a 20-byte address. */
function pkpIdOf(operation: string, text: string): string {
  if (!isHexString(text, 20) && !isHexString(text, 32))
    throw new KeyRefused(
      `${operation}: pkpId must be a wallet address or its 32-byte id, as 0x and hex`,
    )
  const pkpId = zeroPadValue(getBytes(text), 32).toLowerCase()
  if (pkpId === WILDCARD) throw new KeyRefused(`${operation}: pkpId must name one wallet`)
  return pkpId
}
