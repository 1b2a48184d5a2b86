import { getBytes, isHexString, zeroPadValue } from 'ethers'
import { CID_PATTERN } from '../../shared/cid/cid-format.ts'
import { WILDCARD } from '../../shared/cid/wildcard.ts'
import { ContractUnavailableError } from '../accounts/chain.ts'
import { permissionToRun, type RunPermission, walletForRun } from '../accounts/permissions.ts'
import type { Principal, AccountWallet } from '../accounts/account.ts'
import type { Capability, KeyOperation } from '../actions/run.ts'
import type { Keyring } from '../keys/keyring.ts'
import { CipherError, decryptText, encryptText } from '../keys/wallet-cipher.ts'
import { SigningInputError } from '../signing/fields.ts'
import { signForRun } from '../signing/sign.ts'

/**
 * Returns the key access of one run, which may use the keys of its action and the wallets that its groups permit.
 * Permissions are checked at each key operation, because a run may take minutes. In the meantime, its API key may be
 * revoked or its group emptied.
 * @param currentPrincipal returns the current state of the principal that started the run; throws if its API key was
 * revoked
 */
export function capabilityFor(
  keyring: Keyring,
  cid: string,
  currentPrincipal: () => Principal,
): Capability {
  const keyPath = ({ name, pkpId }: { name: string; pkpId: string }): [string, string] => {
    const grant = requirePermission(name, cid, currentPrincipal)
    const { derivationPath } = permittedWallet(keyring, name, grant, pkpId)
    return [grant.principal.account.hash, derivationPath]
  }
  const run = (operation: KeyOperation): string => {
    const { name } = operation
    switch (name) {
      case 'getPrivateKey':
        return keyring.walletKey(...keyPath(operation))
      case 'encrypt': {
        const cipher = keyring.walletCipher(...keyPath(operation))
        return withOperationName(name, () => encryptText(cipher, operation.message))
      }
      case 'decrypt': {
        const cipher = keyring.walletCipher(...keyPath(operation))
        return withOperationName(name, () => decryptText(cipher, operation.ciphertext))
      }
      case 'signMessage':
      case 'signTypedData':
      case 'signTransaction':
      case 'signDigest': {
        const path = keyPath(operation)
        const { address } = keyring.walletPublicKey(...path)
        const wallet = { address, privateKey: () => keyring.walletKey(...path) }
        return withOperationName(name, () => signForRun(operation, wallet))
      }
      case 'getSvcActionPrivateKey':
        requirePermission(name, cid, currentPrincipal)
        return keyring.actionKey(cid)
      case 'getSvcActionPublicKey':
        return keyring.actionPublicKey(requireCid(name, operation.ipfsId)).publicKey
      case 'getSvcActionWalletAddress':
        return keyring.actionPublicKey(requireCid(name, operation.ipfsId)).address
    }
  }
  return { keyOperation: async (operation) => run(operation) }
}

function requirePermission(
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

function withOperationName(operation: string, work: () => string): string {
  try {
    return work()
  } catch (error) {
    if (error instanceof CipherError || error instanceof SigningInputError)
      throw new KeyRefusedError(`${operation}: ${error.message}`)
    throw error
  }
}

function requireCid(operation: string, text: string): string {
  if (!CID_PATTERN.test(text))
    throw new KeyRefusedError(`${operation}: ipfsId must be a CIDv0, Qm...`)
  return text
}

/** The message is shown to the action's author. */
class KeyRefusedError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'KeyRefusedError'
  }
}

type RunGrant = { principal: Principal; permission: RunPermission }

/**
 * Returns the wallet if a group that permits the action also permits the wallet.
 * @param requested the wallet's address, or the address padded to 32 bytes, as hex in any case
 * @throws {KeyRefusedError}
 */
function permittedWallet(
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
