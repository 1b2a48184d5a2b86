import { readFileSync } from 'node:fs'
import { hexlify, id, toBeHex, TypedDataEncoder } from 'ethers'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  ATTESTATION_MEMBERS,
  policyAttestationDigest,
} from '../../shared/crypto/policy-attestation.ts'

const hash = fc.nat().map((n) => id(String(n)))
const attestation = fc.record({
  accountHash: hash,
  pkpId: hash,
  replaces: fc.oneof(hash, fc.constant(toBeHex(0, 32))),
  policyHash: hash,
  changeDelay: fc.nat(90 * 86_400),
  isImmutable: fc.boolean(),
  atOnce: fc.boolean(),
})
const contract = fc.record({
  chainId: fc.bigInt(1n, 1n << 64n),
  contractAddress: hash.map((text) => text.slice(0, 42)),
})

test('the digest is the one that an EIP-712 library computes', () => {
  fc.assert(
    fc.property(attestation, contract, (message, { chainId, contractAddress }) => {
      const domain = { name: 'Svc AccountConfig', version: '1', chainId }
      const expected = TypedDataEncoder.hash(
        { ...domain, verifyingContract: contractAddress },
        { PolicyAttestation: [...ATTESTATION_MEMBERS] },
        message,
      )
      const digest = policyAttestationDigest(message, { chainId, contractAddress })
      expect(hexlify(digest)).toBe(expected)
    }),
  )
})

test('docs/contracts.md shows the type', () => {
  const page = readFileSync(new URL('../../docs/contracts.md', import.meta.url), 'utf8')
  const encoder = TypedDataEncoder.from({ PolicyAttestation: [...ATTESTATION_MEMBERS] })
  expect(page).toContain(`\n\`\`\`text\n${encoder.encodeType('PolicyAttestation')}\n\`\`\`\n`)
})
