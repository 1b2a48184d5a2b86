import { expect, it } from 'vitest'
import { runAction, testWallet } from '@svc-run/cli/test'
import policy from '../policy.json'

const treasury = testWallet('treasury', { policy })
const USDC = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'
const VAULT = '0x000000000000000000000000000000000000dEaD'
const word = (value: number) => ({ json: { result: `0x${value.toString(16).padStart(64, '0')}` } })

/** Runs the action with these balances, in USDC. */
const rebalance = (liquid: number, invested: number) =>
  runAction('src/rebalance.ts', {
    params: { source: 'schedule', wallet: treasury.address },
    wallets: { treasury },
    fetch: {
      'POST https://mainnet.base.org*': [
        word(liquid * 1e6),
        word(invested * 1e6),
        word(invested * 1e6),
      ],
    },
  })

it('deposits what is above the share, after an approval of exactly this amount', async () => {
  const run = await rebalance(1000, 0)
  expect(run).toRespondWith(expect.objectContaining({ did: 'deposit', amount: '800000000' }))
  expect(run.transactions.map(({ to }) => to.toLowerCase())).toEqual([
    USDC.toLowerCase(),
    VAULT.toLowerCase(),
  ])
})

it('withdraws what is missing', async () => {
  const run = await rebalance(0, 1000)
  expect(run).toRespondWith(expect.objectContaining({ did: 'withdraw', amount: '200000000' }))
  expect(run).toHaveSent({ wallet: 'treasury', chain: 'base', to: VAULT })
})

it('sends nothing for a small difference, or without funds', async () => {
  for (const [liquid, invested] of [
    [210, 790],
    [0, 0],
  ] as const) {
    const run = await rebalance(liquid, invested)
    expect(run).toRespondWith(expect.objectContaining({ did: 'nothing' }))
    expect(run.transactions).toEqual([])
  }
})
