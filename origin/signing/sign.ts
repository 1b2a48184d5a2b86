import { keccak_256 } from '@noble/hashes/sha3.js'
import { Signature } from 'ethers'
import { sign } from '../actions/ethers/cryptography/secp256k1.ts'
import type { SigningOperation } from '../actions/run.ts'
import { readBytes, SigningInputError } from './fields.ts'
import { readTransaction } from './transaction.ts'
import { typedDataDigest } from './typed-data.ts'

/** Wallet that signs. The private key is derived only after the input was found to be valid. */
export type SigningWallet = {
  /** The EIP-55 address. */
  address: string
  privateKey(): string
}

/**
 * Performs a signing operation of a run. Returns the same bytes as a wallet of ethers v5 in the sandbox, because both
 * sign with the same function.
 * @returns 0x hex: a signature of 65 bytes, or the signed transaction
 * @throws {SigningInputError} if the input cannot be signed
 */
export function signForRun(operation: SigningOperation, wallet: SigningWallet): string {
  switch (operation.name) {
    case 'signMessage':
      return signDigest(wallet, messageDigest(readBytes(operation.message, 'message')))
    case 'signTypedData':
      return signDigest(wallet, typedDataDigest(operation.typedData))
    case 'signTransaction': {
      const transaction = readTransaction(operation.transaction, wallet.address)
      const digest = keccakHex(bytesOf(transaction.unsignedSerialized))
      transaction.signature = Signature.from(signDigest(wallet, digest))
      return transaction.serialized
    }
    case 'signDigest': {
      const digest = readBytes(operation.digest, 'digest')
      if (digest.length === 2 + 64) return signDigest(wallet, digest)
      throw new SigningInputError(
        `digest: has ${digest.length / 2 - 1} bytes; expected 32, such as a Keccak-256 hash`,
      )
    }
  }
}

/** Computes the EIP-191 digest. */
function messageDigest(message: string): string {
  const bytes = bytesOf(message)
  const prefix = Buffer.from(`\x19Ethereum Signed Message:\n${bytes.length}`)
  return keccakHex(Buffer.concat([prefix, bytes]))
}

/** Faster than `keccak256` of ethers, which matters for long input because it blocks the main thread. */
const keccakHex = (bytes: Uint8Array) => `0x${Buffer.from(keccak_256(bytes)).toString('hex')}`

const bytesOf = (hex: string) => Buffer.from(hex.slice(2), 'hex')

/** Computes a deterministic signature with low s: r, s, and v as 27 or 28. */
function signDigest(wallet: SigningWallet, digest: string): string {
  const signed = sign(wallet.privateKey().slice(2), digest.slice(2), digest.length)
  return `0x${signed.slice(0, 128)}${signed[128] === '0' ? '1b' : '1c'}`
}
