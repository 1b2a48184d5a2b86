/**
 * EIP-712 typed data that wallets sign for this service (docs/decisions/0034, docs/decisions/0035). All messages have
 * the same domain and two members. The primary type states the purpose, so that a signature for one purpose is invalid
 * for another.
 */
import { keccak_256 } from '@noble/hashes/sha3.js'
import { decodeHex, encodeHex } from '../encoding/hex.ts'

export const PURPOSES = ['ConvertAccount', 'CreateWallet', 'AddUsageApiKey', 'BillingAuth'] as const
export type Purpose = (typeof PURPOSES)[number]

export const DOMAIN_NAME = 'Svc ChainSecured'
export const DOMAIN_VERSION = '1'

/** Members of the EIP-712 domain. Their order matters, because it is part of the type's hash. */
export const DOMAIN_MEMBERS = [
  { name: 'name', type: 'string' },
  { name: 'version', type: 'string' },
  { name: 'chainId', type: 'uint256' },
] as const
export const PROOF_MEMBERS = [
  { name: 'address', type: 'address' },
  { name: 'issuedAt', type: 'uint256' },
] as const

/** Claim to control an address at a point in time. The claim is addressed to the service's node of one chain. */
export type ProofStatement = {
  purpose: Purpose
  /** Address as 0x hex of 20 bytes. The letter case does not affect the signature. */
  address: string
  /** Time of signing in Unix seconds. */
  issuedAt: bigint | number
  chainId: bigint | number
}

export type TypedData = {
  types: Record<string, readonly { readonly name: string; readonly type: string }[]>
  primaryType: Purpose
  domain: { name: string; version: string; chainId: number | string }
  message: { address: string; issuedAt: number | string }
}

/** Builds the argument for `eth_signTypedData_v4`. Numbers above 2^53 are decimal strings. */
export function typedDataOf({ purpose, address, issuedAt, chainId }: ProofStatement): TypedData {
  return {
    types: { EIP712Domain: DOMAIN_MEMBERS, [purpose]: PROOF_MEMBERS },
    primaryType: purpose,
    domain: { name: DOMAIN_NAME, version: DOMAIN_VERSION, chainId: jsonNumber(chainId) },
    message: { address, issuedAt: jsonNumber(issuedAt) },
  }
}

/** Returns the EIP-712 digest: keccak256(0x1901 ‖ domain separator ‖ hash of the message). */
export function typedDataDigest({
  purpose,
  address,
  issuedAt,
  chainId,
}: ProofStatement): Uint8Array {
  const domain = hashed(
    typeHash('EIP712Domain', DOMAIN_MEMBERS),
    keccak(text(DOMAIN_NAME)),
    keccak(text(DOMAIN_VERSION)),
    word(chainId),
  )
  const message = hashed(typeHash(purpose, PROOF_MEMBERS), word(BigInt(address)), word(issuedAt))
  return hashed(Uint8Array.of(0x19, 0x01), domain, message)
}

function typeHash(name: string, members: readonly { name: string; type: string }[]): Uint8Array {
  const list = members.map((member) => `${member.type} ${member.name}`).join(',')
  return keccak(text(`${name}(${list})`))
}

function jsonNumber(value: bigint | number): number | string {
  return Number.isSafeInteger(Number(value)) ? Number(value) : String(value)
}

function word(value: bigint | number): Uint8Array {
  return decodeHex(BigInt(value).toString(16).padStart(64, '0'))!
}

function hashed(...parts: Uint8Array[]): Uint8Array {
  const hash = keccak_256.create()
  for (const part of parts) hash.update(part)
  return hash.digest()
}

const keccak = (bytes: Uint8Array) => keccak_256(bytes)
const text = (value: string) => new TextEncoder().encode(value)

/** Returns the account hash of a wallet: the keccak-256 of the address's 20 bytes. */
export function accountHashOfWallet(address: string): string {
  return `0x${encodeHex(keccak_256(decodeHex(address)!))}`
}
