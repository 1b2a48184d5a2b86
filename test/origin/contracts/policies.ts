/** Policies of wallets, as arguments of the contract. */
import { hexlify, id, SigningKey, ZeroHash } from 'ethers'
import { policyAttestationDigest } from '../../../shared/crypto/policy-attestation.ts'
import type { PolicyAttestation } from '../../../shared/crypto/policy-attestation.ts'
import { fundedKey } from '../chain.ts'
import { word } from './slots.ts'

/** The value of `replaces` when a wallet is created. */
export const NO_POLICY = ZeroHash

export type PolicyTerms = { policyHash: string; changeDelay: number; isImmutable: boolean }

export const terms = (text: string, changeDelay = 0, isImmutable = false): PolicyTerms => ({
  policyHash: id(text),
  changeDelay,
  isImmutable,
})

export type Attested = Omit<PolicyAttestation, 'accountHash'> & { accountHash: bigint }

/** Signs an attestation, by default as the payer of `startAccountConfig`. */
export function attest(
  contract: { chainId: number; address: string },
  { accountHash, ...change }: Attested,
  privateKey = fundedKey(1),
): string {
  const digest = policyAttestationDigest(
    { accountHash: word(accountHash), ...change },
    { chainId: contract.chainId, contractAddress: contract.address },
  )
  return new SigningKey(privateKey).sign(hexlify(digest)).serialized
}
