import { randomBytes } from 'node:crypto'
import { hexlify, zeroPadValue } from 'ethers'
import { addressFromPrivateKey, type Keyring } from './keyring.ts'

type FreshWallet = {
  /** EIP-55 address of the wallet. */
  address: string
  /** Wallet ID: the address padded to 32 bytes, in lower-case 0x hex. */
  pkpId: string
  /** 32 random bytes in 0x hex. Not secret, because the key also depends on the root key and the account. */
  derivationPath: string
}

export function freshWallet(keyring: Keyring, accountHash: string): FreshWallet {
  const derivationPath = hexlify(randomBytes(32))
  const address = addressFromPrivateKey(keyring.walletKey(accountHash, derivationPath))
  return { address, pkpId: zeroPadValue(address, 32).toLowerCase(), derivationPath }
}
