import { expect, it } from 'vitest'
import { originLost } from '../../../origin/runs/claims.ts'
import { decryptOutcome, encryptOutcome } from '../../../origin/runs/outcome-codec.ts'

const key = Buffer.alloc(32, 7)

it('decrypts an outcome in the row for which it was encrypted', () => {
  const run = { accountHash: '0xa', runId: 'b1' }
  const outcome = { ...originLost('cid'), duration_ms: 5 }
  expect(decryptOutcome(key, run, encryptOutcome(key, run, outcome))).toEqual(outcome)
})

it('swapped rows: rejects the outcome of another run, even if the concatenated names are equal', () => {
  const encrypted = encryptOutcome(key, { accountHash: '0xa', runId: 'b1' }, originLost())
  for (const other of [
    { accountHash: '0xa', runId: 'b2' },
    { accountHash: '0xc', runId: 'b1' },
    { accountHash: '0xab', runId: '1' },
  ])
    expect(() => decryptOutcome(key, other, encrypted)).toThrow()
})
