import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { sharedPool } from '../../actions/sandbox.ts'
import type { Call } from './arbitrary-calls.ts'
import { CALLS } from './arbitrary-calls.ts'

/** Calls per run, and runs per property: with 8 subjects, 4,000 calls. */
const CALLS_PER_RUN = 100
const RUNS = process.env['TEST_NIGHTLY'] === '1' ? 200 : 5

type Outcome = { value: unknown } | { error: unknown }
type Perform = (ethers: unknown, calls: Call[]) => Promise<Outcome[]>

const source = readFileSync(new URL('calls.js', import.meta.url), 'utf8')
const action = `${source}\nfunction main(calls) { return perform(ethers, calls) }`
// oxlint-disable-next-line typescript/no-implied-eval -- Node and the sandbox evaluate the same file
const perform = new Function(`${source}\nreturn perform`)() as Perform
const { ethers } = createRequire(import.meta.url)('ethers-v5') as { ethers: unknown }
const sandbox = sharedPool({ min: 1, max: 2 })

test.each(Object.keys(CALLS))(
  'calls of %s have the same results and errors in the sandbox as in Node',
  { timeout: 600_000 },
  async (subject) => {
    const calls = fc.array(CALLS[subject] as fc.Arbitrary<Call>, {
      minLength: CALLS_PER_RUN,
      maxLength: CALLS_PER_RUN,
    })
    await fc.assert(
      fc.asyncProperty(calls, async (made) => {
        const inSandbox = (await sandbox.value(action, made)) as Outcome[]
        const plain = JSON.parse(JSON.stringify(await perform(ethers, made))) as Outcome[]
        const differing = made.flatMap((call, at) =>
          JSON.stringify(inSandbox[at]) === JSON.stringify(plain[at])
            ? []
            : [{ call, inSandbox: inSandbox[at], plain: plain[at] }],
        )
        expect(differing.slice(0, 2)).toEqual([])
      }),
      { numRuns: RUNS, endOnFailure: true },
    )
  },
)
