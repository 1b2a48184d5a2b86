import { expect, it } from 'vitest'
import { runAction, testWallet } from '@svc-run/cli/test'
import policy from '../policy.json'

const oracle = testWallet('oracle', { policy })

const price = (coinbase: string, kraken: string, bitstamp: string | undefined) =>
  runAction('src/price.ts', {
    params: { source: 'schedule', wallet: oracle.address },
    wallets: { oracle },
    fetch: {
      'https://api.coinbase.com/*': { json: { data: { amount: coinbase } } },
      'https://api.kraken.com/*': { json: { result: { XETHZUSD: { c: [kraken, '1'] } } } },
      'https://www.bitstamp.net/*':
        bitstamp === undefined ? { status: 503 } : { json: { last: bitstamp } },
    },
    now: '2026-01-01T00:00:00Z',
  })

it('signs the median', async () => {
  const run = await price('3012.345', '3011.00000', '3013.1')
  expect(run).toRespondWith({
    symbol: 'ETH/USD',
    price: '301234500000',
    updatedAt: 1767225600,
    signature: expect.any(String),
  })
  expect(run).toHaveSigned({ wallet: 'oracle', kind: 'typed_data' })
})

it('needs only two sources', async () => {
  expect((await price('3012', '3011', undefined)).response).toMatchObject({ price: '301100000000' })
})

it('signs nothing if a source deviates: a manipulated price', async () => {
  const run = await price('3012', '3011', '3500')
  expect(run).toFailWith('action_threw', 'the sources differ by more than 2%')
  expect(run.signatures).toEqual([])
})
