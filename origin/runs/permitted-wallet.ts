import { getBytes, isHexString, zeroPadValue } from 'ethers'
import { WILDCARD } from '../../shared/cid/wildcard.ts'
import { type RunPermission, walletForRun } from '../accounts/permissions.ts'
import type { Principal, AccountWallet } from '../accounts/account.ts'
import type { Keyring } from '../keys/keyring.ts'

/** The message is shown to the action's author. */
export class KeyRefusedError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'KeyRefusedError'
  }
}

export type RunGrant = { principal: Principal; permission: RunPermission }

/**
 * Returns the wallet if a group that permits the action also permits the wallet.
 * @param requested the wallet's address, or the address padded to 32 bytes, as hex in any case
 * @throws {KeyRefusedError}
 */
export function permittedWallet(
  keyring: Keyring,
  operation: string,
  { principal, permission }: RunGrant,
  requested: string,
): AccountWallet {
  const pkpId = pkpIdOf(operation, requested)
  const found = walletForRun(principal, permission, pkpId)
  const { hash } = principal.account
  if (!found.allowed && found.reason === 'not_permitted')
    throw new KeyRefusedError(
      `${operation}: the wallet ${requested} and the action ${permission.cid} are not in the same group; add both to one group (add_pkp_to_group, add_action_to_group)`,
    )
  // An account can register any address as a wallet. The address belongs to the account only if the keyring derives it
  // for the account.
  if (!found.allowed || walletIdOf(keyring, hash, found.wallet.derivationPath) !== pkpId)
    throw new KeyRefusedError(`${operation}: the account has no wallet ${requested}`)
  return found.wallet
}

function walletIdOf(keyring: Keyring, accountHash: string, path: string): string {
  return zeroPadValue(keyring.walletPublicKey(accountHash, path).address, 32).toLowerCase()
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
