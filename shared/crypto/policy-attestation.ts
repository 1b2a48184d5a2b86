/**
 * An API payer's signed statement about a change of a wallet's policy, for the contract, which cannot read documents
 * (docs/contracts.md#policies). `PolicyFacet.sol` hashes the same typed data.
 */
import { hashed, typeHash, word } from './typed-data.ts'

export const ATTESTATION_DOMAIN_NAME = 'Svc AccountConfig'
export const ATTESTATION_DOMAIN_VERSION = '1'

/** Members of the EIP-712 domain, and of the message. Their order matters, because it is part of the type's hash. */
export const ATTESTATION_DOMAIN_MEMBERS = [
  { name: 'name', type: 'string' },
  { name: 'version', type: 'string' },
  { name: 'chainId', type: 'uint256' },
  { name: 'verifyingContract', type: 'address' },
] as const
export const ATTESTATION_MEMBERS = [
  { name: 'accountHash', type: 'uint256' },
  { name: 'pkpId', type: 'bytes32' },
  { name: 'replaces', type: 'bytes32' },
  { name: 'policyHash', type: 'bytes32' },
  { name: 'changeDelay', type: 'uint40' },
  { name: 'isImmutable', type: 'bool' },
  { name: 'atOnce', type: 'bool' },
] as const

/** Hashes and IDs are 32 bytes in 0x hex. */
export type PolicyAttestation = {
  accountHash: string
  pkpId: string
  /** Hash of the policy that is replaced; zero for a new wallet. */
  replaces: string
  policyHash: string
  /** `change_delay_s` of the new policy. */
  changeDelay: number
  isImmutable: boolean
  /** True if the change only tightens the policy, and for a new wallet. */
  atOnce: boolean
}

/** The contract for which an attestation is valid. */
export type AttestedContract = { chainId: bigint | number; contractAddress: string }

/** Returns the EIP-712 digest that a payer signs. */
export function policyAttestationDigest(
  attestation: PolicyAttestation,
  { chainId, contractAddress }: AttestedContract,
): Uint8Array {
  const domain = hashed(
    typeHash('EIP712Domain', ATTESTATION_DOMAIN_MEMBERS),
    textHash(ATTESTATION_DOMAIN_NAME),
    textHash(ATTESTATION_DOMAIN_VERSION),
    word(chainId),
    word(BigInt(contractAddress)),
  )
  const message = hashed(
    typeHash('PolicyAttestation', ATTESTATION_MEMBERS),
    ...ATTESTATION_MEMBERS.map(({ name }) => word(BigInt(attestation[name]))),
  )
  return hashed(Uint8Array.of(0x19, 0x01), domain, message)
}

const textHash = (text: string) => hashed(new TextEncoder().encode(text))
