import { randomBytes } from 'node:crypto'
import { hexlify, zeroPadValue } from 'ethers'
import { addressOf, type Keyring } from './keyring.ts'

/** A newly derived wallet of an account that is not registered yet. */
export type FreshWallet = {
  /** Checksummed (EIP-55) address of the wallet. */
  address: string
  /** Wallet ID: 32 bytes as lower-case 0x hex. */
  pkpId: string
  /**
   * Derivation path of the wallet's key: 32 random bytes as 0x hex. The path is not secret, because the key also
   * depends on the account.
   */
  derivationPath: string
}

/**
 * Derives a wallet from a new random path.
 * @param accountHash the account's master hash
 */
export function freshWallet(keyring: Keyring, accountHash: string): FreshWallet {
  const derivationPath = hexlify(randomBytes(32))
  const address = addressOf(keyring.walletKey(accountHash, derivationPath))
  return { address, pkpId: zeroPadValue(address, 32).toLowerCase(), derivationPath }
}
