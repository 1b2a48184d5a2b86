import { CID_SHAPE } from '../../shared/action-cid.ts'
import { ChainUnavailable } from '../accounts/chain.ts'
import { permissionToRun } from '../accounts/permissions.ts'
import type { Principal } from '../accounts/state.ts'
import type { Capability, KeyOperation } from '../actions/run.ts'
import type { Keyring } from '../keys/keyring.ts'
import { CipherRefused, decryptText, encryptText } from '../keys/wallet-cipher.ts'
import { KeyRefused } from './key-refused.ts'
import { type Permitted, permittedWallet } from './permitted-wallet.ts'

/**
 * Key access of one run, which may use the keys of its action, and the wallets that its groups permit. Permissions are
 * checked at each key operation, because a run may take minutes, and its API key may be revoked or its group emptied in
 * the meantime.
 * @param holder returns the current state of the principal that started the run; throws if its API key was revoked
 */
export function capabilityFor(keyring: Keyring, cid: string, holder: () => Principal): Capability {
  return {
    keyOperation: async (operation) => answer(keyring, cid, holder, operation),
  }
}

function answer(
  keyring: Keyring,
  cid: string,
  holder: () => Principal,
  operation: KeyOperation,
): string {
  const { name } = operation
  switch (name) {
    case 'getPrivateKey':
      return keyring.walletKey(...wallet(keyring, cid, holder, operation))
    case 'encrypt': {
      const cipher = keyring.walletCipher(...wallet(keyring, cid, holder, operation))
      return naming(name, () => encryptText(cipher, operation.message))
    }
    case 'decrypt': {
      const cipher = keyring.walletCipher(...wallet(keyring, cid, holder, operation))
      return naming(name, () => decryptText(cipher, operation.ciphertext))
    }
    case 'getSvcActionPrivateKey':
      permitted(name, cid, holder)
      return keyring.actionKey(cid)
    case 'getSvcActionPublicKey':
      return keyring.actionPublicKey(cidOf(name, operation.ipfsId)).publicKey
    case 'getSvcActionWalletAddress':
      return keyring.actionPublicKey(cidOf(name, operation.ipfsId)).address
  }
}

function permitted(operation: string, cid: string, holder: () => Principal): Permitted {
  try {
    const principal = holder()
    const permission = permissionToRun(principal, cid)
    if (permission) return { principal, permission }
  } catch (error) {
    if (error instanceof ChainUnavailable)
      throw new KeyRefused(`${operation}: permissions cannot be checked: ${error.message}`)
  }
  throw new KeyRefused(
    `${operation}: the API key that started this run has been revoked or is no longer allowed to run the action ${cid}`,
  )
}

/** Checks that the run may use the wallet. Returns the account hash and derivation path of its keys. */
function wallet(
  keyring: Keyring,
  cid: string,
  holder: () => Principal,
  { name, pkpId }: { name: string; pkpId: string },
): [accountHash: string, path: string] {
  const who = permitted(name, cid, holder)
  const { derivationPath } = permittedWallet(keyring, name, who, pkpId)
  return [who.principal.account.hash, derivationPath]
}

function naming(operation: string, work: () => string): string {
  try {
    return work()
  } catch (error) {
    if (error instanceof CipherRefused) throw new KeyRefused(`${operation}: ${error.message}`)
    throw error
  }
}

function cidOf(operation: string, text: string): string {
  if (!CID_SHAPE.test(text)) throw new KeyRefused(`${operation}: ipfsId must be a CIDv0, Qm...`)
  return text
}
