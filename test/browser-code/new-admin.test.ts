import { expect, test } from 'vitest'
import { checkCandidate } from '../../edge/browser/console/ownership/admin-candidate.ts'

const ADDRESS = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
const ADMIN = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'

const look = async (typed: string) => {
  const opened = {
    chain: { contractAddress: '0x5FbDB2315678afecb367f032d93F642f64180aa3' },
    adminStatus: async () => 'none',
    isContract: async () => false,
  }
  return checkCandidate(typed, { address: ADMIN, wallet: { opened } } as never)
}

test.each([
  ['with its capitals', ADDRESS, 0],
  ['in small letters', ADDRESS.toLowerCase(), 1],
  ['in capitals alone', `0x${ADDRESS.slice(2).toUpperCase()}`, 1],
])('undetected typing error: warns as expected about an address %s', async (_, typed, warnings) => {
  const found = await look(typed)
  expect(found).toMatchObject({ is: 'taken', address: ADDRESS })
  expect(found.is === 'taken' && found.warnings).toHaveLength(warnings)
})
