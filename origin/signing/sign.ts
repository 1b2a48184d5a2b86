import { DeniedError } from '../../shared/policies/denial.ts'
import { readRequest, type SigningRequest } from '../../shared/policies/request.ts'
import { sign } from '../actions/ethers/cryptography/secp256k1.ts'
import type { SigningOperation } from '../actions/run.ts'
import { digestOf } from './digest.ts'
import { requestOf, SigningInputError } from './fields.ts'
import { serializeTransaction } from './serialize.ts'

/** Wallet that signs. The private key is derived only after the input was found to be valid. */
export type SigningWallet = {
  address: string
  privateKey(): string
}

/**
 * Reads a signing operation of a run with a wallet that has no policy. Signing the result with `signRequest` returns the
 * same bytes as a wallet of ethers v5 in the sandbox, because both sign with the same function.
 * @throws {SigningInputError} if the input cannot be signed
 */
export function readOperation(operation: SigningOperation, address: string): SigningRequest {
  try {
    return readRequest(requestOf(operation), address, 'ethers')
  } catch (error) {
    throw error instanceof DeniedError ? new SigningInputError(error.message) : error
  }
}

/**
 * Signs a parsed request. The caller must have checked it against the wallet's policy, if there is one.
 * @param digest `digestOf(request)`
 * @returns 0x hex: a signature of 65 bytes, or the signed transaction
 */
export function signRequest(
  request: SigningRequest,
  wallet: SigningWallet,
  digest = digestOf(request),
): string {
  const signature = signDigest(wallet, digest)
  if (request.kind !== 'transaction') return signature
  return serializeTransaction(request.transaction, signature)
}

/** Computes a deterministic signature with low s: r, s, and v as 27 or 28. */
function signDigest(wallet: SigningWallet, digest: string): string {
  const signed = sign(wallet.privateKey().slice(2), digest.slice(2), digest.length)
  return `0x${signed.slice(0, 128)}${signed[128] === '0' ? '1b' : '1c'}`
}
