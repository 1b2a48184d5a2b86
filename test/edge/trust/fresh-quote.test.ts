import { expect, it } from 'vitest'
import { requireFreshQuote } from '../../../edge/trust/fresh-quote.ts'
import type { EvidenceBundle } from '../../../shared/attestation/evidence.ts'
import { encodeHex } from '../../../shared/encoding/hex.ts'

const NONCE = new Uint8Array(32).fill(1)
const ANOTHER = new Uint8Array(32).fill(2)

const quotedFor = (nonce: Uint8Array<ArrayBuffer>) =>
  ({ fresh: { nonce: encodeHex(nonce), attestation: {} } }) as EvidenceBundle

it('accepts evidence with a quote for the nonce that was sent', () => {
  expect(() => requireFreshQuote(quotedFor(NONCE), NONCE)).not.toThrow()
})

it.each([
  ['with a quote for another nonce', quotedFor(ANOTHER)],
  ['without a quote for a nonce', {}],
])('replay: rejects evidence %s', (_, bundle) => {
  expect(() => requireFreshQuote(bundle, NONCE)).toThrow('no quote for the requested nonce')
})
