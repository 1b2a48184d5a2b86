import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { sharedPool } from '../../actions/sandbox.ts'
import { batches, publishedVectors, sample } from './vectors.ts'

/** Number of vectors per file in a normal run. With TEST_NIGHTLY=1, all are checked. */
const SAMPLED: Record<string, number> = {
  accounts: 200,
  bignumber: 100,
  'contract-events': 150,
  'contract-interface': 150,
  'contract-interface-abi2': 150,
  'contract-signatures': 150,
  eip712: 150,
  hashes: 600,
  hdnode: 30,
  namehash: 100,
  nameprep: 100,
  'rlp-coder': 100,
  'solidity-hashes': 200,
  transactions: 150,
  'typed-transactions': 200,
  units: 100,
  wallets: 100,
  wordlists: 100,
}

const CHECKS = readFileSync(new URL('checks.js', import.meta.url), 'utf8')
const whole = process.env['TEST_NIGHTLY'] === '1'
const pool = sharedPool({ min: 1, max: 2 })

test.each(Object.keys(SAMPLED))(
  'ethers 5’s published vectors of %s pass in the sandbox',
  { timeout: 600_000 },
  async (name) => {
    const all = publishedVectors(name)
    const vectors = whole ? all : sample(all, SAMPLED[name] as number)
    let checked = 0
    for (const batch of batches(vectors)) {
      const params = JSON.stringify({ name, vectors: batch })
      const limits = { wallMs: 120_000, cpuMs: 120_000 }
      const result = await pool.run(CHECKS, { params, ...limits })
      expect(result).toMatchObject({ kind: 'returned' })
      if (result.kind !== 'returned') return
      const report = JSON.parse(result.value) as { checked: number; failures: string[] }
      expect(report.failures).toEqual([])
      checked += report.checked
    }
    expect(checked).toBe(vectors.length)
  },
)
