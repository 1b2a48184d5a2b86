import { CID_PATTERN } from '../../shared/cid/cid-format.ts'
import { ContractUnavailableError } from '../accounts/chain.ts'
import { permissionToRun } from '../accounts/permissions.ts'
import type { Principal } from '../accounts/account.ts'
import type { Capability, KeyOperation } from '../actions/run.ts'
import type { Keyring } from '../keys/keyring.ts'
import { CipherError, decryptText, encryptText } from '../keys/wallet-cipher.ts'
import { KeyRefusedError, permittedWallet, type RunGrant } from './permitted-wallet.ts'

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
    if (error instanceof CipherError) throw new KeyRefusedError(`${operation}: ${error.message}`)
    throw error
  }
}

function requireCid(operation: string, text: string): string {
  if (!CID_PATTERN.test(text))
    throw new KeyRefusedError(`${operation}: ipfsId must be a CIDv0, Qm...`)
  return text
}
