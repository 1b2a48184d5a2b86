/** Mutants of the answer to a nonce. */
import { type Mutant } from './change.ts'
import { craftedMachine } from '../crafted-machine.ts'
import { answerTo, bundleAnswerTo } from '../good-evidence.ts'

export const FRESH: Mutant[] = [
  [
    'a replayed quote',
    'quote',
    'does not contain the nonce',
    (good) => ({ ...good, fresh: { ...good.fresh!, attestation: good.attestation } }),
  ],
  [
    'an answer to another nonce',
    'quote',
    'does not contain the nonce',
    (good) => ({ ...good, fresh: { ...good.fresh!, nonce: '08'.repeat(32) } }),
  ],
  [
    // If clients could choose the report data, they could have their own checksums quoted.
    'the nonce itself as report data',
    'quote',
    'does not contain the nonce',
    async (good) => {
      const attestation = await craftedMachine().quote(Buffer.from(good.fresh!.nonce, 'hex'))
      return { ...good, fresh: { ...good.fresh!, attestation } }
    },
  ],
  [
    'a short nonce',
    'quote',
    'the nonce is not hex of 16 to 64 bytes',
    (good) => ({ ...good, fresh: { ...good.fresh!, nonce: '07' } }),
  ],
  [
    'a fresh quote of another application',
    'quote',
    'the fresh quote is from a different application',
    async (good) => {
      const other = craftedMachine({
        events: (boot) =>
          boot.map((event) =>
            event.event === 'app-id' ? { ...event, payload: Buffer.alloc(20, 9) } : event,
          ),
      })
      const attestation = await other.quote(await answerTo(good.fresh!.nonce))
      return { ...good, fresh: { ...good.fresh!, attestation } }
    },
  ],
  [
    // The files of a machine whose certificate key leaked, and a quote of another machine that is still running.
    'recorded files with a fresh quote over the files of another machine',
    'quote',
    'does not contain the nonce and the hash of sha256sum.txt',
    async (good) => {
      const others = good.files['sha256sum.txt']!.replace(/[0-9a-f]{64}(?=  cert-)/, '0'.repeat(64))
      const quote = await craftedMachine().quote(await bundleAnswerTo(good.fresh!.nonce, others))
      return { ...good, fresh: { ...good.fresh!, attestation: quote, covers_files: true } }
    },
  ],
  [
    'a fresh quote over the nonce alone, which claims to cover the files',
    'quote',
    'does not contain the nonce and the hash of sha256sum.txt',
    (good) => ({ ...good, fresh: { ...good.fresh!, covers_files: true } }),
  ],
]
