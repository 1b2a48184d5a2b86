import { describe, expect, it } from 'vitest'
import { runAction, testWallet } from '@svc-run/cli/test'
import policy from '../policy.json'
import { SELLERS } from '../src/sellers'

const SECRET = 'whsec_a_secret_of_the_endpoint'
const NOW = Date.UTC(2026, 0, 1) / 1000
const USDC = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'
const treasury = testWallet('treasury', { policy })

const paid = (checkout: object = {}, type = 'checkout.session.completed') => ({
  type,
  data: {
    object: {
      id: 'cs_live_a1',
      payment_status: 'paid',
      currency: 'usd',
      amount_total: 1999,
      metadata: { seller: 'alice' },
      ...checkout,
    },
  },
})

/** Runs the action with an event that Stripe, or somebody else, has signed. */
async function deliver(event: object, { by = SECRET, at = NOW, others = {} } = {}) {
  const event_raw = JSON.stringify(event)
  const encrypted = await runAction('src/encrypt.ts', {
    params: { wallet: treasury.address, secret: SECRET },
    wallets: { treasury },
  })
  const mac = await macOf(by, `${at}.${event_raw}`)
  return runAction('src/payout.ts', {
    params: {
      source: 'webhook',
      event,
      event_raw,
      event_raw_encoding: 'utf8',
      headers: { 'stripe-signature': `t=${at},v1=${mac},v0=${'00'.repeat(32)}` },
      wallet: treasury.address,
      secret: encrypted.response,
      ...others,
    },
    wallets: { treasury },
    now: NOW * 1000,
  })
}

async function macOf(secret: string, text: string): Promise<string> {
  const bytes = (of: string) => new TextEncoder().encode(of)
  const how = { name: 'HMAC', hash: 'SHA-256' } as const
  const key = await crypto.subtle.importKey('raw', bytes(secret), how, false, ['sign'])
  const mac = new Uint8Array(await crypto.subtle.sign('HMAC', key, bytes(text)))
  return Array.from(mac, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

it.each(['checkout.session.completed', 'checkout.session.async_payment_succeeded'])(
  'pays the seller 95 percent on %s',
  async (type) => {
    const run = await deliver(paid({}, type))
    expect(run).toRespondWith(
      expect.objectContaining({ checkout: 'cs_live_a1', seller: 'alice', usdc: '18.9905' }),
    )
    expect(run).toHaveSent({ wallet: 'treasury', chain: 'base', to: USDC, value: 0n })
    expect(run.transactions).toHaveLength(1)
    const units = 18_990_500n.toString(16).padStart(64, '0')
    expect(run.transactions[0]!.data).toBe(
      `0xa9059cbb${SELLERS.alice.slice(2).toLowerCase().padStart(64, '0')}${units}`,
    )
  },
)

it.each([
  ['another event', paid({}, 'invoice.paid')],
  ['a checkout that is not paid yet', paid({ payment_status: 'unpaid' })],
])('pays nothing for %s', async (_what, event) => {
  const run = await deliver(event)
  expect(run).toRespondWith({ ignored: expect.any(String) })
  expect(run.transactions).toEqual([])
})

describe('an attacker cannot get a payment', () => {
  it.each([
    ['with a forged signature', { by: 'whsec_another' }, 'is not signed by Stripe'],
    ['with an event that was captured long ago', { at: NOW - 3601 }, 'too old'],
    ['without a signature', { others: { headers: {} } }, 'is not signed by Stripe'],
    [
      'by changing the signed body',
      { others: { event_raw: JSON.stringify(paid({ amount_total: 99_999 })) } },
      'is not signed by Stripe',
    ],
  ])('%s', async (_how, given, message) => {
    const run = await deliver(paid(), given)
    expect(run).toFailWith('action_threw', message)
    expect(run.transactions).toEqual([])
  })

  it('of another amount, with the usage key and a captured event', async () => {
    const others = { event: paid({ amount_total: 99_999, metadata: { seller: 'bob' } }) }
    expect(await deliver(paid(), { others })).toRespondWith(
      expect.objectContaining({ seller: 'alice', usdc: '18.9905' }),
    )
  })

  it.each([
    ['a name that is none', { metadata: { seller: 'constructor' } }],
    ['an amount above the limit', { amount_total: 100_001 }],
    ['a negative amount', { amount_total: -1999 }],
    ['a cheaper currency', { currency: 'jpy' }],
  ])('for %s', async (_what, checkout) => {
    const run = await deliver(paid(checkout))
    expect(run.error?.code).toBe('action_threw')
    expect(run.transactions).toEqual([])
  })
})

it('pays only addresses that the policy lists', () => {
  expect(Object.values(SELLERS).toSorted()).toEqual(policy.lists[0]!.addresses.toSorted())
})

it('cannot pay others, even with a bug in the action', async () => {
  const code = `const main = ({ pkpId, to, data }) =>
    Svc.Actions.sendTransaction({ pkpId, chain: 'base', to, data })`
  const data = `0xa9059cbb${treasury.address.slice(2).toLowerCase().padStart(64, '0')}${'1'.padStart(64, '0')}`
  const run = await runAction(
    { code },
    { params: { pkpId: treasury.address, to: USDC, data }, wallets: { treasury } },
  )
  expect(run.transactions[0]).toMatchObject({ failure: { code: 'policy_denied' } })
})
