import { randomBytes } from 'node:crypto'
import { hexlify, zeroPadValue } from 'ethers'
import { addressOf, type Keyring } from './keyring.ts'

/** A new wallet of an account, not registered yet. */
export type FreshWallet = {
  /** EIP-55 address. */
  address: string
  /** 0x hex of 32 bytes, in lower case. */
  pkpId: string
  /** 0x hex of 32 random bytes. Knowing it gains nothing, because the key is bound to the account. */
  derivationPath: string
}

/** Derives a wallet under a fresh random path. @param accountHash the master hash */
export function freshWallet(keyring: Keyring, accountHash: string): FreshWallet {
  const derivationPath = hexlify(randomBytes(32))
  const address = addressOf(keyring.walletKey(accountHash, derivationPath))
  return { address, pkpId: zeroPadValue(address, 32).toLowerCase(), derivationPath }
}
