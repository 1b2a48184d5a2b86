/** Mutants of the quote. */
import { byMachine, flip, type Mutant, ofQuote } from './change.ts'
import { craftedMachine, restated } from '../crafted-machine.ts'

export const QUOTE: Mutant[] = [
  [
    'a byte of MRTD',
    'quote',
    'ISV enclave report signature is invalid',
    ofQuote((q) => flip(q, 184)),
  ],
  ['a byte of RTMR3', 'quote', 'signature is invalid', ofQuote((q) => flip(q, 520))],
  ['a byte of report data', 'quote', 'signature is invalid', ofQuote((q) => flip(q, 568))],
  ['another version', 'quote', 'the quote has version 5', ofQuote((q) => flip(q, 0))],
  ['another type of key', 'quote', 'key has type 3', ofQuote((q) => flip(q, 2))],
  ['another type of machine', 'quote', 'TEE type 0x80', ofQuote((q) => flip(q, 4))],
  ['another vendor', 'quote', "does not have Intel's vendor ID", ofQuote((q) => flip(q, 12))],
  ['a quote that is cut', 'quote', 'the quote is truncated', ofQuote((q) => q.slice(0, -2))],
  ['a quote of its head alone', 'quote', 'the quote is truncated', ofQuote((q) => q.slice(0, 600))],
  ['bytes behind the quote', 'quote', 'trailing bytes', ofQuote((q) => `${q}0001`)],
  ['no hex', 'quote', 'is not hex', ofQuote((q) => `${q}x`)],
  ['a byte of its signature', 'quote', 'signature is invalid', ofQuote((q) => flip(q, 640))],
  ['a byte of its key', 'quote', 'QE report hash mismatch', ofQuote((q) => flip(q, 700))],
  [
    "a byte of the quoting enclave's report",
    'quote',
    'Signature is invalid for qe_report',
    ofQuote((q) => flip(q, 800)),
  ],
  [
    'a byte of its certificates',
    'quote',
    /has an invalid certificate|not signed by its issuer/,
    ofQuote((q) => flip(q, 1600)),
  ],
  [
    'no mark',
    'quote',
    'not marked as simulated',
    byMachine({ patch: (signed) => signed.fill(0, 28, 48) }),
  ],
  [
    'a machine that can be looked into',
    'quote',
    'debugging is enabled',
    byMachine({ patch: (signed) => signed.writeUInt8(1, 168) }),
  ],
  [
    'a module of another signer',
    'quote',
    'has an unexpected signer',
    byMachine({ patch: (signed) => signed.writeUInt8(1, 112) }),
  ],
  [
    'a module of other attributes',
    'quote',
    'has unexpected attributes',
    byMachine({
      patch: (signed) => signed.writeUInt8(1, 160),
      collateral: (by) =>
        restated(by, ({ tdxModule }) => {
          tdxModule.attributesMask = 'ff'.repeat(8)
        }),
    }),
  ],
  [
    'a module of a version that is not known',
    'quote',
    'does not list the TDX module TDX_01',
    byMachine({ patch: (signed) => signed.writeUInt8(1, 49) }),
  ],
  [
    'report data that is not zero',
    'quote',
    'report data of /attestation',
    async (good) => ({ ...good, attestation: await craftedMachine().quote(Buffer.of(1)) }),
  ],
]
