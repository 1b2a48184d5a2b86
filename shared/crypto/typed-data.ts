/**
 * EIP-712 typed data that wallets sign for this service (docs/decisions/0034, docs/decisions/0035, docs/decisions/0110).
 * All messages have the same domain. The primary type states the purpose, so that a signature for one purpose is invalid
 * for another.
 */
import { keccak_256 } from '@noble/hashes/sha3.js'
import { decodeHex, encodeHex } from '../encoding/hex.ts'

export const DOMAIN_NAME = 'Svc ChainSecured'
export const DOMAIN_VERSION = '1'

/** Members of the EIP-712 domain. Their order matters, because it is part of the type's hash. */
export const DOMAIN_MEMBERS = [
  { name: 'name', type: 'string' },
  { name: 'version', type: 'string' },
  { name: 'chainId', type: 'uint256' },
] as const

const SIGNER_MEMBERS = [
  { name: 'address', type: 'address' },
  { name: 'issuedAt', type: 'uint256' },
] as const
const POLICY_HASH = { name: 'policyHash', type: 'bytes32' } as const

/** Members of the message for each purpose. Each value is encoded as one word. */
export const PROOF_MEMBERS = {
  ConvertAccount: SIGNER_MEMBERS,
  CreateWallet: SIGNER_MEMBERS,
  CreatePolicyWallet: [...SIGNER_MEMBERS, POLICY_HASH],
  SetWalletPolicy: [...SIGNER_MEMBERS, { name: 'pkpId', type: 'bytes32' }, POLICY_HASH],
  AddUsageApiKey: SIGNER_MEMBERS,
  BillingAuth: SIGNER_MEMBERS,
  SendTransactions: SIGNER_MEMBERS,
} as const

export type Purpose = keyof typeof PROOF_MEMBERS
export const PURPOSES = Object.keys(PROOF_MEMBERS) as readonly Purpose[]

/** Members of a message in addition to the address and the time. Each one is 32 bytes as 0x hex. */
export type ProofTerms = { pkpId?: string; policyHash?: string }

/** Claim to control an address at a point in time. The claim is addressed to the service's node of one chain. */
export type ProofStatement = {
  purpose: Purpose
  /** Address as 0x hex of 20 bytes. The letter case does not affect the signature. */
  address: string
  /** Time of signing in Unix seconds. */
  issuedAt: bigint | number
  chainId: bigint | number
  /** Must be exactly the terms of the purpose. */
  terms?: ProofTerms
}

export type TypedData = {
  types: Record<string, readonly { readonly name: string; readonly type: string }[]>
  primaryType: Purpose
  domain: { name: string; version: string; chainId: number | string }
  message: { address: string; issuedAt: number | string } & ProofTerms
}

/** Returns the names of the terms that a message for this purpose contains. */
export function termNames(purpose: Purpose): (keyof ProofTerms)[] {
  return PROOF_MEMBERS[purpose].flatMap(({ name }) =>
    name === 'address' || name === 'issuedAt' ? [] : [name],
  )
}

/** Builds the argument for `eth_signTypedData_v4`. Numbers above 2^53 are decimal strings. */
export function typedDataOf(statement: ProofStatement): TypedData {
  const { purpose, address, issuedAt, chainId } = statement
  return {
    types: { EIP712Domain: DOMAIN_MEMBERS, [purpose]: PROOF_MEMBERS[purpose] },
    primaryType: purpose,
    domain: { name: DOMAIN_NAME, version: DOMAIN_VERSION, chainId: jsonNumber(chainId) },
    message: { address, issuedAt: jsonNumber(issuedAt), ...requireTerms(statement) },
  }
}

/** Returns the EIP-712 digest: keccak256(0x1901 ‖ domain separator ‖ hash of the message). */
export function typedDataDigest(statement: ProofStatement): Uint8Array {
  const { purpose, chainId } = statement
  const members = PROOF_MEMBERS[purpose]
  const domain = hashed(
    typeHash('EIP712Domain', DOMAIN_MEMBERS),
    keccak(text(DOMAIN_NAME)),
    keccak(text(DOMAIN_VERSION)),
    word(chainId),
  )
  const { address, issuedAt } = statement
  const message = { address, issuedAt, ...requireTerms(statement) }
  const words = members.map(({ name }) => word(message[name]!))
  return hashed(Uint8Array.of(0x19, 0x01), domain, hashed(typeHash(purpose, members), ...words))
}

/** @throws {Error} if terms of the purpose are missing, or others are given */
function requireTerms({ purpose, terms = {} }: ProofStatement): ProofTerms {
  const [given, expected] = [Object.keys(terms).toSorted(), termNames(purpose).toSorted()]
  if (given.join() === expected.join()) return terms
  throw new Error(`${purpose} has the terms [${expected.join()}], but [${given.join()}] were given`)
}

export function typeHash(
  name: string,
  members: readonly { name: string; type: string }[],
): Uint8Array {
  const list = members.map((member) => `${member.type} ${member.name}`).join(',')
  return keccak(text(`${name}(${list})`))
}

function jsonNumber(value: bigint | number): number | string {
  return Number.isSafeInteger(Number(value)) ? Number(value) : String(value)
}

/** Encodes a number, or 0x hex, as 32 bytes. */
export function word(value: bigint | number | string): Uint8Array {
  return decodeHex(BigInt(value).toString(16).padStart(64, '0'))!
}

/** Returns the keccak-256 of the concatenated parts. */
export function hashed(...parts: Uint8Array[]): Uint8Array {
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
