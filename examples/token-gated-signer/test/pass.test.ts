import { expect, it } from 'vitest'
import { runAction, testWallet } from '@svc-run/cli/test'
import policy from '../policy.json'

const NOW = '2026-01-01T00:00:00.000Z'
const gate = testWallet('gate', { policy })
const visitor = testWallet('visitor')
const other = testWallet('other')

/** Runs the action with a request that a wallet has signed. */
async function request({ by = visitor, issuedAt = NOW, balance = 1 }) {
  const signed = await runAction(
    { code: 'const main = (message) => Svc.Actions.signMessage(message)' },
    {
      params: { pkpId: by.address, message: `request a pass at ${issuedAt}` },
      wallets: { by },
    },
  )
  return runAction('src/pass.ts', {
    params: {
      wallet: gate.address,
      account: visitor.address,
      issuedAt,
      signature: signed.response,
    },
    wallets: { gate },
    fetch: {
      'POST https://mainnet.base.org*': {
        json: { jsonrpc: '2.0', id: 1, result: `0x${balance.toString(16).padStart(64, '0')}` },
      },
    },
    now: NOW,
  })
}

it('signs a pass for a holder', async () => {
  const pass = `pass for ${visitor.address} until 2026-01-02T00:00:00.000Z`
  const run = await request({})
  expect(run).toRespondWith({ pass, signature: expect.any(String) })
  expect(run).toHaveSigned({ wallet: 'gate', message: pass })
})

it.each([
  ['an account without the token', { balance: 0 }, 'does not hold the token'],
  ['a request that another account signed', { by: other }, 'signed by another account'],
  ['a replayed request', { issuedAt: '2025-12-31T23:54:00.000Z' }, 'has expired'],
  ['a request from the future', { issuedAt: '2026-01-01T01:00:00.000Z' }, 'has expired'],
])('refuses %s', async (_what, given, message) => {
  const run = await request(given)
  expect(run).toFailWith('action_threw', message)
  expect(run.signatures).toEqual([])
})
