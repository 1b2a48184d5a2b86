import { randomBytes } from 'node:crypto'
import { hexlify, zeroPadValue } from 'ethers'
import { addressFromPrivateKey, type Keyring, NO_LOCK } from './keyring.ts'

type FreshWallet = {
  /** EIP-55 address of the wallet. */
  address: string
  /** Wallet ID: the address padded to 32 bytes, in lower-case 0x hex. */
  pkpId: string
  /** 32 random bytes in 0x hex. Not secret, because the key also depends on the root key and the account. */
  derivationPath: string
}

/**
 * @param policy policy of the new wallet. Without one, `getPrivateKey` returns the wallet's key to permitted actions
 */
export function freshWallet(
  keyring: Keyring,
  accountHash: string,
  policy?: { hash: string; isImmutable: boolean },
): FreshWallet {
  const derivationPath = hexlify(randomBytes(32))
  const lock = policy?.isImmutable ? policy.hash : NO_LOCK
  const privateKey = policy
    ? keyring.policyWalletKey(accountHash, derivationPath, lock)
    : keyring.walletKey(accountHash, derivationPath)
  const address = addressFromPrivateKey(privateKey)
  return { address, pkpId: zeroPadValue(address, 32).toLowerCase(), derivationPath }
}
