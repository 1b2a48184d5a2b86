import { hexlify, SigningKey, ZeroHash } from 'ethers'
import {
  type PolicyAttestation,
  policyAttestationDigest,
} from '../../shared/crypto/policy-attestation.ts'
import type { Policy } from '../../shared/policies/policy.ts'
import type { ContractChain } from '../accounts/chain.ts'
import type { Keyring } from '../keys/keyring.ts'

/** The parts of a policy's document that the contract records. */
export type PolicyTerms = Pick<PolicyAttestation, 'policyHash' | 'changeDelay' | 'isImmutable'>

export function termsOfPolicy({ hash, document }: Policy): PolicyTerms {
  return {
    policyHash: hash,
    changeDelay: document.change_delay_s ?? 0,
    isImmutable: document.immutable === true,
  }
}

/** Values in an attestation for a new wallet. */
export const NEW_WALLET = { replaces: ZeroHash, atOnce: true } as const

/**
 * Signs a statement about a policy for the contract, which cannot read documents. The caller must have validated and
 * stored the document.
 * @returns 65 bytes as 0x hex
 */
export function attestPolicy(
  attestation: PolicyAttestation,
  {
    keyring,
    chain,
  }: { keyring: Keyring; chain: Pick<ContractChain, 'chainId' | 'contractAddress'> },
): string {
  const digest = hexlify(policyAttestationDigest(attestation, chain))
  return new SigningKey(keyring.payerKey(0)).sign(digest).serialized
}
