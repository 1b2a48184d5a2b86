import { getBytes, isHexString, SigningKey, zeroPadValue } from 'ethers'
import { CID_SHAPE } from '../../shared/cid.ts'
import { ChainUnavailable } from '../accounts/chain.ts'
import {
  permissionToRun,
  type RunPermission,
  walletForRun,
  WILDCARD,
} from '../accounts/permissions.ts'
import type { Principal } from '../accounts/state.ts'
import type { Capability, KeyOperation } from '../actions/run.ts'
import { addressOf, type Keyring } from '../keys/keyring.ts'

/** A key operation that this run may not do; the message is for the action's author. */
export class KeyRefused extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'KeyRefused'
  }
}

type Permitted = { principal: Principal; permission: RunPermission }

/**
 * The keys that one run may ask for: those of its action, and the wallets that its groups permit at that moment. A run
 * goes on for minutes, and its key may be revoked, or its group emptied, while it does.
 * @param holder who runs the action, as of now; throws where nobody may any more
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
  switch (operation.name) {
    case 'getPrivateKey':
      return walletKey(keyring, cid, permitted(operation.name, cid, holder), operation.pkpId)
    case 'getSvcActionPrivateKey':
      permitted(operation.name, cid, holder)
      return keyring.actionKey(cid)
    case 'getSvcActionPublicKey':
      return new SigningKey(keyring.actionKey(cidOf(operation.ipfsId))).publicKey
    case 'getSvcActionWalletAddress':
      return addressOf(keyring.actionKey(cidOf(operation.ipfsId)))
  }
}

function permitted(operation: string, cid: string, holder: () => Principal): Permitted {
  try {
    const principal = holder()
    const permission = permissionToRun(principal, cid)
    if (permission) return { principal, permission }
  } catch (error) {
    if (error instanceof ChainUnavailable)
      throw new KeyRefused(`${operation}: permissions can not be looked up: ${error.message}`)
  }
  throw new KeyRefused(
    `${operation}: the API key that began this run was revoked since, or may not run the action ${cid} any more`,
  )
}

function walletKey(
  keyring: Keyring,
  cid: string,
  { principal, permission }: Permitted,
  asked: string,
): string {
  const pkpId = pkpIdOf(asked)
  const found = walletForRun(principal, permission, pkpId)
  if (!found.allowed) {
    if (found.reason === 'not_registered')
      throw new KeyRefused(`getPrivateKey: this account has no wallet ${asked}`)
    throw new KeyRefused(
      `getPrivateKey: wallet ${asked} is in no group that permits the action ${cid}; add both to one group (add_pkp_to_group, add_action_to_group)`,
    )
  }
  const key = keyring.walletKey(principal.account.hash, found.wallet.derivationPath)
  // Anybody may register any address for an account of his own; only the derived one is that account's.
  if (zeroPadValue(addressOf(key), 32).toLowerCase() !== pkpId)
    throw new KeyRefused(`getPrivateKey: this account has no wallet ${asked}`)
  return key
}

/** A wallet's id as 32-byte hex, lower-case, from that or a 20-byte address. */
function pkpIdOf(text: string): string {
  if (!isHexString(text, 20) && !isHexString(text, 32))
    throw new KeyRefused('getPrivateKey: pkpId must be a wallet address or its 32-byte id in hex')
  const pkpId = zeroPadValue(getBytes(text), 32).toLowerCase()
  if (pkpId === WILDCARD) throw new KeyRefused('getPrivateKey: pkpId must name one wallet')
  return pkpId
}

function cidOf(text: string): string {
  if (!CID_SHAPE.test(text)) throw new KeyRefused('ipfsId must be a CIDv0, Qm...')
  return text
}
