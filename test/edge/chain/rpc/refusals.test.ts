import { describe, expect, it } from 'vitest'
import { positionRejection, rangeRejection } from '../../../../shared/rpc/range-errors.ts'
import {
  isRateLimit,
  retryAfterMs,
  batchRejection,
  type RpcError,
  matchResponses,
} from '../../../../shared/rpc/json-rpc.ts'
import { BatchSize } from '../../../../shared/rpc/learned-limits.ts'

const ASKED = 100_000

/** Provider, error code, message, and the number of blocks that it suggests. */
const RANGES: [provider: string, code: number, message: string, blocks: number | undefined][] = [
  [
    'Alchemy, free',
    -32600,
    'Under the Free tier plan, you can make eth_getLogs requests with up to a 10 block range. Based on your parameters, this block range should work: [0x10ccac3, 0x10ccacc]. Upgrade to PAYG for expanded block range.',
    10,
  ],
  [
    'Alchemy, too many logs',
    -32602,
    'Log response size exceeded. You can make eth_getLogs requests with up to a 2K block range and no limit on the response size, or you can request any block range with a cap of 10K logs in the response. Based on your parameters and the response size limit, this block range should work: [0x0, 0x2f7]',
    760,
  ],
  [
    'Alchemy, without a suggestion',
    -32602,
    'Log response size exceeded. You can make eth_getLogs requests with up to a 2K block range and no limit on the response size',
    2000,
  ],
  [
    'Infura, too many logs',
    -32005,
    'query returned more than 10000 results. Try with this block range [0x6B2E3C, 0x6B2F37].',
    252,
  ],
  ['Infura, without a suggestion', -32005, 'query returned more than 10000 results', undefined],
  ['Infura, blocks', -32602, 'range 1000000 exceeds limit of 10000', 10_000],
  ['Infura, time', -32005, 'query timeout exceeded', undefined],
  ['QuickNode', -32614, 'eth_getLogs is limited to a 10,000 range', 10_000],
  ['QuickNode, trial', -32614, 'eth_getLogs is limited to a 5 range', 5],
  [
    'QuickNode, older',
    -32602,
    'eth_getLogs and eth_newFilter are limited to a 10,000 blocks range',
    10_000,
  ],
  ['Ankr', -32600, 'block range is too wide', undefined],
  ['Ankr, logs', -32000, 'query exceeds max results 10000', undefined],
  ['Ankr, a Cosmos chain', -32000, 'maximum [from, to] blocks distance: 1000', 1000],
  ['Chainstack', -32602, 'Block range limit exceeded.', undefined],
  ['Coinbase', -32000, 'please limit the query to at most 1,000 blocks', 1000],
  ['Cloudflare', -32047, 'Invalid eth_getLogs request. Max range: 800', 800],
  ['publicnode', -32701, 'exceed maximum block range: 50000', 50_000],
  [
    'thirdweb',
    -32005,
    'Log response size exceeded. Maximum allowed number of requested blocks is 1000',
    1000,
  ],
  ['blockpi', -32602, 'eth_getLogs is limited to 1024 block range', 1024],
  ['1rpc', -32602, 'eth_getLogs is limited to 0 - 50 blocks range', 50],
  ['1rpc, size', -32000, 'response size should not greater than 10000000 bytes', undefined],
  ['dRPC', 35, 'ranges over 10000 blocks are not supported on freetier', 10_000],
  ['dRPC, logs', -32000, 'query returns too many logs, narrow your filter: 20000', undefined],
  ['LlamaRPC', -32600, 'query exceeds max block range 1000', 1000],
  ['Blast', -32600, 'eth_getLogs is limited to a 500 block range', 500],
  [
    'Blast, paid',
    -32600,
    'requested range exceeds the range allowed for your plan (10001 > 5000).',
    5000,
  ],
  ['Polygon zkEVM', -32000, 'query returned more than 20000 results', undefined],
  ['Base', -32000, 'block range too large', undefined],
  ['Base, its proxy', -32011, 'no backend is currently healthy to serve traffic', undefined],
  ['Optimism', -32020, 'backend response too large', undefined],
  ['Optimism, blocks', -32602, 'Block range is too large', undefined],
  ['Arbitrum', -32000, 'logs matched by query exceeds limit of 10000', undefined],
  ['BSC', -32000, 'exceed maximum block range: 5000', 5000],
  ['Merkle', -32600, 'eth_getLogs range is too large, max is 10k blocks', 10_000],
  ['geth, answer', -32003, 'response too large', undefined],
  ['geth, time', -32002, 'request timed out', undefined],
  ['Erigon', -32000, 'query block range exceeds server limit, narrow your filter: 1000', 1000],
  ['reth', -32602, 'query exceeds max block range 50000', 50_000],
  [
    'reth, logs',
    -32602,
    'query exceeds max results 20000, retry with the range 23000100-23000149',
    50,
  ],
  ['Besu', -32005, 'Requested range exceeds maximum RPC range limit', undefined],
  ['Moonbeam', -32000, 'block range is too wide (maximum 1024)', 1024],
  [
    'Avalanche',
    -32000,
    'requested too many blocks from 0 to 16777216, maximum is set to 2048',
    2048,
  ],
  ['Harmony', -32000, 'query must be smaller than size 1024', 1024],
  ['Aurora', -32000, 'You can make eth_getLogs requests with up to a 2,000 block range.', 2000],
  ['Swell', -32000, 'block range greater than 100 max', 100],
  ['Somnia', -32000, 'block range exceeds 1000', 1000],
  ['Scroll', -32000, 'block range is bigger than maxBlockRange', undefined],
  ['SimplyVC', -32000, 'too wide blocks range, the limit is 100', 100],
  ['HTTP', 413, '', undefined],
]

describe('a provider that wants a smaller range', () => {
  it.each(RANGES)('is recognized: %s (%i)', (_, code, message, blocks) => {
    expect(rangeRejection({ code, message }, ASKED)).toEqual({ blocks })
  })

  it('has its suggestion ignored unless it is smaller than the refused range', () => {
    const message = 'ranges over 10000 blocks are not supported on free plan'
    expect(rangeRejection({ code: 35, message }, 512)).toEqual({ blocks: undefined })
  })

  it('denial of service: cannot stall the reader with a text that is slow to search', () => {
    const text = 'block range too wide '.repeat(100_000)
    const errors = [
      text,
      { code: -1, message: text },
      { code: -1, message: 'block range too wide', data: text },
      { code: -1, message: 'block range too wide', data: { from: text, to: text } },
    ]
    for (const error of errors) {
      const read = matchResponses({ jsonrpc: '2.0', id: 1, error }, 1, 1)
      expect(read).toMatchObject({ answers: [{ error: {} }] })
      const { answers } = read as { answers: { error: RpcError }[] }
      expect(rangeRejection(answers[0]!.error, ASKED)).toEqual({ blocks: undefined })
    }
  })

  it('may suggest the range in the error data', () => {
    const data = { from: '0x64', limit: 10000, to: '0xc7' }
    const message = 'query returned more than 10000 results'
    expect(rangeRejection({ code: -32005, message, data }, ASKED)).toEqual({ blocks: 100 })
  })

  it.each([
    [-32005, 'daily request count exceeded, request rate limited'],
    [-32005, 'limit exceeded'],
    [-32000, 'header not found'],
    [-32000, 'unknown block'],
    [-32602, 'block range extends beyond current head block'],
    [-32603, 'internal error'],
    [-32000, 'exceed max addresses or topics per search position'],
    [429, 'Your app has exceeded its compute units per second capacity'],
    [-32000, 'missing trie node'],
  ])('is not assumed for other errors (%i %s)', (code, message) => {
    expect(rangeRejection({ code, message }, ASKED)).toBeUndefined()
  })
})

describe('a provider that wants fewer addresses or topics', () => {
  it.each([
    ['exceed max addresses or topics per search position', 'either', undefined],
    ['exceed max addresses', 'addresses', undefined],
    ['exceed max addresses: 100', 'addresses', 100],
    ['Please, specify less number of addresses', 'addresses', undefined],
    ['too many addresses, at most 20', 'addresses', 20],
    ['exceed max topics: 1000', 'topics', 1000],
    ['This query contains 5006 filters. The current limit is 5000.', 'either', 5000],
  ])('is recognized: %s', (message, of, most) => {
    expect(positionRejection({ code: -32602, message })).toEqual({ of, most })
  })

  it.each(['rate limit exceeded for your IP address', 'query returned more than 10000 results'])(
    'is not assumed for: %s',
    (message) => {
      expect(positionRejection({ code: -32005, message })).toBeUndefined()
    },
  )
})

describe('a provider that limits the request rate', () => {
  it.each([
    [
      429,
      'Your app has exceeded its compute units per second capacity. If you have retries enabled, you can safely ignore this message.',
    ],
    [-32005, 'daily request count exceeded, request rate limited'],
    [-32029, 'Too many requests'],
    [-32007, '15/second request limit reached - reduce calls per second or upgrade your account'],
    [-32016, 'over rate limit'],
    [-32090, 'Too many requests, reason: call rate limit exhausted, retry in 10s'],
    [-32000, 'rate limit exceeded'],
    [-32005, 'limit exceeded'],
    [-32001, 'Monthly capacity limit exceeded.'],
    [-32603, 'Request throttled'],
  ])('is recognized: %i %s', (code, message) => {
    expect(isRateLimit({ code, message })).toBe(true)
  })

  it.each([
    ['7', 7_000],
    ['0', 0],
    ['86400', 300_000],
    ['Fri, 15 Jan 2027 08:00:30 GMT', 30_000],
    ['Fri, 15 Jan 2027 07:00:00 GMT', 0],
    ['soon', undefined],
    [null, undefined],
  ])('may say how long to wait: %s', (header, ms) => {
    expect(retryAfterMs(header, Date.parse('2027-01-15T08:00:00Z'))).toBe(ms)
  })
})

describe('a provider that limits or rejects batches', () => {
  it.each([
    [200, -32600, 'batch too large', 'certain'],
    [200, -32600, 'Too many ["eth_getLogs"] methods in the batch', 'certain'],
    [413, 0, '', 'certain'],
    [200, -32600, 'Invalid Request', 'perhaps'],
    [200, -32700, 'parse error', 'perhaps'],
    [400, 0, '', 'perhaps'],
    [500, -32000, 'internal error', 'no'],
  ])('is recognized: HTTP %i, %i %s', (status, code, message, refuses) => {
    expect(batchRejection({ code, message }, status)).toBe(refuses)
  })

  it('gets shorter batches, then single requests, and long batches again after ten minutes', () => {
    const size = new BatchSize()
    expect(size.at(0)).toBe(50)
    expect(size.recordRejection(50, 0)).toBe(10)
    expect(size.recordRejection(2, 0)).toBe(1)
    expect(size.at(599_999)).toBe(1)
    expect(size.at(600_000)).toBe(50)
  })
})
