import type { Mutant } from '../mutant.ts'

const EVIDENCE = [
  'test/shared/attestation/mutants.test.ts',
  'test/shared/attestation/policy.test.ts',
]

/** Mutants of shared code: evidence, the envelope, signatures and canonical texts. */
export const SHARED: readonly Mutant[] = [
  {
    id: 'attestation-colon-in-event-name',
    file: 'shared/attestation/measured-app.ts',
    from: "!name.includes(':'),",
    to: "name !== ':',",
    meaning: 'an event whose name holds a colon passes for another event with its digest',
    tests: ['test/shared/attestation/event-log.test.ts', ...EVIDENCE],
  },
  {
    id: 'attestation-expired-revocation-list',
    file: 'shared/attestation/crl.ts',
    from: '  check(at <= nextUpdate, `the ${name} has expired`)\n',
    to: '',
    meaning: 'an old revocation list hides that a platform was revoked',
    tests: ['test/shared/attestation/certificate-chain.test.ts', ...EVIDENCE],
  },
  {
    id: 'attestation-evidence-for-years',
    file: 'shared/attestation/key-files.ts',
    from: 'left <= VALID_MAX_MS,',
    to: 'left <= Number.MAX_SAFE_INTEGER,',
    meaning: 'evidence that was made with a clock far ahead is good for years',
    tests: EVIDENCE,
  },
  {
    id: 'attestation-file-named-twice',
    file: 'shared/attestation/checksums.ts',
    from: '    check(!sums.has(name), `sha256sum.txt lists ${quoted(name)} twice`)\n',
    to: '',
    meaning: 'of two checksums of one file the last one counts',
    tests: EVIDENCE,
  },
  {
    id: 'yaml-anchor-defined-twice',
    file: 'shared/attestation/strict-yaml/parse.ts',
    from: 'checkLine(number, !this.#anchors.has(name),',
    to: 'checkLine(number, true,',
    meaning: 'an alias names one of two anchors, which parsers decide differently',
    tests: [
      'test/shared/attestation/strict-yaml.test.ts',
      'test/shared/attestation/images.test.ts',
    ],
  },
  {
    id: 'envelope-sent-to-another-path',
    file: 'shared/envelope/format.ts',
    from: 'encoder.encode(`${method} ${path}\\n`)',
    to: 'encoder.encode(`${method}\\n`)',
    meaning: 'a sealed request opens at another path than it was sealed for',
    tests: ['test/origin/channel/attacks.test.ts'],
  },
  {
    id: 'client-repeats-a-lost-write',
    file: 'shared/client/retries.ts',
    from: "failure instanceof NetworkFailed && !failure.mayHaveBeenExecuted ? 'again' : 'never'",
    to: "failure instanceof NetworkFailed ? 'again' : 'never'",
    meaning: 'a write without an Idempotency-Key is sent again after its answer was lost',
    tests: ['test/shared/client/requester.test.ts', 'test/shared/client/api-mode.test.ts'],
  },
  {
    id: 'jws-second-signature',
    file: 'shared/crypto/jws.ts',
    from: 'if (encodeHex(bytes.subarray(32)) > HALF_ORDER)',
    to: 'if (bytes.length === 0)',
    meaning: 'anybody makes a second receipt out of one, and the chain looks forked',
    tests: ['test/shared/receipt.test.ts', 'test/shared/receipt-chain.test.ts'],
  },
  {
    id: 'receipt-chain-link-unchecked',
    file: 'shared/receipts/receipt-chain.ts',
    from: 'if (receipt.previous_sha256 !== sha256OfText(textBefore))',
    to: 'if (receipt.previous_sha256 === undefined)',
    meaning: 'a receipt of a forked chain passes for the next one',
    tests: ['test/shared/receipt-chain.test.ts'],
  },
  {
    id: 'canonical-json-sorted-by-locale',
    file: 'shared/derived-action/canonical-json.ts',
    from: 'keys.toSorted()',
    to: 'keys.toSorted((one, other) => one.localeCompare(other))',
    meaning: 'members are sorted by the locale, and so the CID differs between machines',
    tests: ['test/shared/canonical-json.test.ts', 'test/shared/derived-action.test.ts'],
  },
]
