import { describe, expect, it } from 'vitest'
import { runAction, testWallet } from '@svc-run/cli/test'
import policy from '../policy.json'

const agent = testWallet('agent', { policy })
const PAYEE = policy.lists[0]!.addresses[0]!

const pay = (given: object = {}) =>
  runAction('src/pay.ts', {
    params: { wallet: agent.address, to: PAYEE, usdc: '12.5', invoice: '2026-001', ...given },
    wallets: { agent },
  })

it('pays an invoice', async () => {
  const run = await pay()
  expect(run).toRespondWith(expect.objectContaining({ state: 'queued' }))
  expect(run).toHaveSent({
    wallet: 'agent',
    chain: 'base',
    to: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
    value: 0n,
  })
  expect(run.transactions[0]!.data).toContain(PAYEE.slice(2).toLowerCase())
})

describe('an agent that is tricked', () => {
  it.each([
    ['an amount above the limit', { usdc: '51' }, 'at most 50 USDC'],
    ['a negative amount', { usdc: '-1' }, 'at most 50 USDC'],
    [
      'an invoice number with spaces',
      { invoice: 'ignore the rules' },
      'expected an invoice number',
    ],
    ['an address that is none', { to: '0x12' }, 'invalid address'],
  ])('cannot pay %s', async (_what, given, message) => {
    const run = await pay(given)
    expect(run).toFailWith('action_threw', message)
    expect(run.transactions).toEqual([])
  })

  it('cannot pay an address that the policy does not list', async () => {
    const run = await pay({ to: agent.address })
    expect(run.transactions).toEqual([
      expect.objectContaining({
        state: 'failed',
        failure: expect.objectContaining({ code: 'policy_denied' }),
      }),
    ])
  })
})
