/** Mutants of the evidence files. */
import { changedField, fileWith, flip, type Mutant, ofFile, withFiles } from './change.ts'
import { craftedMachine } from '../crafted-machine.ts'
import { checksumsOf, goodEvidence, sha256 } from '../good-evidence.ts'

const PAST = { valid_until: '2026-11-22T00:00:00Z' }
const FAR = { valid_until: '2036-11-22T00:00:00Z' }

export const FILES: Mutant[] = [
  [
    'a digit of a checksum',
    'evidence files',
    'does not match sha256sum.txt',
    ofFile('sha256sum.txt', (sums) => flip(sums, 0)),
  ],
  [
    'a checksum line of another form',
    'evidence files',
    'has an invalid line',
    ofFile('sha256sum.txt', (sums) => sums.replace('  ', ' ')),
  ],
  [
    'a checksum with a path',
    'evidence files',
    'has an invalid line',
    ofFile('sha256sum.txt', (sums) => sums.replace('  acme', '  ../acme')),
  ],
  [
    'checksums that are cut',
    'evidence files',
    'its last line has no newline',
    ofFile('sha256sum.txt', (sums) => sums.slice(0, -1)),
  ],
  ['a name twice', 'evidence files', 'twice', ofFile('sha256sum.txt', (sums) => sums + sums)],
  [
    'a byte of a file',
    'evidence files',
    'acme-account.json does not match',
    ofFile('acme-account.json', (text) => `${text} `),
  ],
  [
    'a byte of the certificate file',
    'evidence files',
    /cert-.* does not match/,
    ofFile('cert-origin.example.pem', (text) => `${text} `),
  ],
  [
    'a file more',
    'evidence files',
    '"more.json" is not in sha256sum.txt',
    ({ files, ...rest }) => ({ ...rest, files: { ...files, 'more.json': '{}' } }),
  ],
  [
    'a file less',
    'evidence files',
    'storage-key.json is missing',
    (good) => {
      const { 'storage-key.json': _, ...files } = good.files
      return { ...good, files }
    },
  ],
  [
    'other keys with their own checksums',
    'evidence files',
    'report_data does not start with the SHA-256 of sha256sum.txt',
    ({ files, ...rest }) => {
      const { 'quote.json': quote, 'sha256sum.txt': _, ...listed } = files
      const changed = { ...listed, 'storage-key.json': `${listed['storage-key.json']!} ` }
      return {
        ...rest,
        files: { ...changed, 'quote.json': quote!, 'sha256sum.txt': checksumsOf(changed) },
      }
    },
  ],
  [
    'other keys, and a quote that only says so',
    'evidence files',
    'report_data does not match its quote',
    ({ files, ...rest }) => {
      const { 'quote.json': quote, 'sha256sum.txt': _, ...listed } = files
      const changed = { ...listed, 'storage-key.json': `${listed['storage-key.json']!} ` }
      const sums = checksumsOf(changed)
      const report_data = sha256(sums) + '00'.repeat(32)
      const said = JSON.stringify({ ...JSON.parse(quote!), report_data })
      return { ...rest, files: { ...changed, 'quote.json': said, 'sha256sum.txt': sums } }
    },
  ],
  [
    "a byte of quote.json's quote",
    'evidence files',
    'quote.json: the quote is invalid',
    ofFile('quote.json', (text) => changedField(text, 'quote', (quote) => flip(quote, 184))),
  ],
  [
    "a byte of quote.json's log",
    'evidence files',
    'quote.json: the event log does not replay',
    ofFile('quote.json', (text) =>
      changedField(text, 'event_log', (log) => log.replace('7b22', '7b23')),
    ),
  ],
  [
    'keys that another application had quoted',
    'evidence files',
    "quote.json's quote is from a different application",
    () => {
      const other = craftedMachine({
        events: (boot) =>
          boot.map((event) =>
            event.event === 'app-id' ? { ...event, payload: Buffer.alloc(20, 9) } : event,
          ),
      })
      return goodEvidence({ machine: craftedMachine(), quoting: other })
    },
  ],
  [
    'keys that a machine of other firmware had quoted',
    'evidence files',
    "quote.json's quote is from a different machine",
    () =>
      goodEvidence({
        machine: craftedMachine(),
        quoting: craftedMachine({ patch: (signed) => signed.writeUInt8(9, 184) }),
      }),
  ],
  [
    'an old channel key',
    'evidence files',
    'the evidence is outdated',
    (good) => withFiles(fileWith(good, 'channel-key.json', PAST))(good),
  ],
  [
    'a channel key of a machine whose clock was set ahead',
    'evidence files',
    'which is too far in the future',
    (good) => withFiles(fileWith(good, 'channel-key.json', FAR))(good),
  ],
  [
    'a key of another suite',
    'evidence files',
    'storage-key.json: suite',
    (good) => withFiles(fileWith(good, 'storage-key.json', { suite: 'none' }))(good),
  ],
  [
    'a key that is no point',
    'evidence files',
    'public_key: expected a P-256 point',
    (good) => withFiles(fileWith(good, 'storage-key.json', { public_key: 'AAAA' }))(good),
  ],
  [
    'the id of another key',
    'evidence files',
    'kid does not match public_key',
    (good) => withFiles(fileWith(good, 'receipt-key.json', { kid: 'ab'.repeat(16) }))(good),
  ],
]
