import { expect, it } from 'vitest'
import { runAction, testWallet } from '@svc-run/cli/test'
import policy from '../policy.json'
import { PAYEES } from '../src/payees'

const treasury = testWallet('treasury', { policy })
const USDC = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'

const payout = (now: string) =>
  runAction('src/payout.ts', {
    params: { source: 'schedule', wallet: treasury.address },
    wallets: { treasury },
    now,
  })

it('pays everyone', async () => {
  const run = await payout('2026-02-01T09:00:00Z')
  expect(run).toRespondWith({
    month: '2026-02',
    payments: [
      expect.objectContaining({ name: 'alice' }),
      expect.objectContaining({ name: 'bob' }),
    ],
  })
  expect(run.transactions).toHaveLength(PAYEES.length)
  expect(run).toHaveSent({ wallet: 'treasury', chain: 'base', to: USDC, value: 0n })
})

it('pays only addresses that the policy lists', () => {
  const { addresses } = policy.lists[0]!
  expect(PAYEES.map(({ address }) => address).toSorted()).toEqual(addresses.toSorted())
})

it('pays no more in a month than the policy allows', () => {
  const total = PAYEES.reduce((sum, { usdc }) => sum + Number(usdc) * 1e6, 0)
  expect(total).toBeLessThanOrEqual(Number(policy.sums[0]!.max))
})
