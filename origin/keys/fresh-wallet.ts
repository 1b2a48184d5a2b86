import { randomBytes } from 'node:crypto'
import { hexlify, zeroPadValue } from 'ethers'
import { addressFromPrivateKey, type Keyring } from './keyring.ts'

/** Derived wallet that is not registered yet. */
type FreshWallet = {
  /** EIP-55 address. */
  address: string
  /** 32 bytes as lower-case 0x hex. */
  pkpId: string
  /** 32 random bytes as 0x hex. Not secret, because the key also depends on the account. */
  derivationPath: string
}

/** @param accountHash the account's master hash */
export function freshWallet(keyring: Keyring, accountHash: string): FreshWallet {
  const derivationPath = hexlify(randomBytes(32))
  const address = addressFromPrivateKey(keyring.walletKey(accountHash, derivationPath))
  return { address, pkpId: zeroPadValue(address, 32).toLowerCase(), derivationPath }
}
