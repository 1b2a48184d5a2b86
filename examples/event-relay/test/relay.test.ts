import { expect, it } from 'vitest'
import { runAction, testWallet } from '@svc-run/cli/test'
import policy from '../policy.json'

const relayer = testWallet('relayer', { policy })
const RECEIVER = 'POST https://example.com/deposits'

const relay = (status: number) =>
  runAction('src/relay.ts', {
    params: {
      source: 'chain_event',
      event: {
        chain: 'base',
        contract_address: '0x000000000000000000000000000000000000dEaD',
        transaction_hash: `0x${'ab'.repeat(32)}`,
        log_index: 3,
        decode: 'exact',
        decoded: { arg0: '0x000000000000000000000000000000000000bEEF', arg1: '25' },
      },
      wallet: relayer.address,
    },
    wallets: { relayer },
    fetch: { [RECEIVER]: { status } },
  })

it('posts the event with a signature', async () => {
  const run = await relay(204)
  expect(run).toHaveRequested(RECEIVER, {
    id: `base/0x${'ab'.repeat(32)}/3`,
    account: '0x000000000000000000000000000000000000bEEF',
    amount: '25',
  })
  const { digest } = run.response as { digest: string }
  expect(run).toHaveSigned({ wallet: 'relayer', message: `relayed event ${digest}` })
  expect(run.requests[0]!.headers['x-signature']).toMatch(/^0x[0-9a-f]{130}$/)
})

it('fails if the receiver does not accept the event, so that the run can be replayed', async () => {
  expect(await relay(500)).toFailWith('action_threw', 'the receiver responded with 500')
})
