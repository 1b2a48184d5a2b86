import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  ChainUnreachableError,
  NodeLaggingError,
  RangeRejectedError,
} from '../../../../shared/rpc/chain-read-errors.ts'
import {
  type Change,
  failureOf,
  json,
  type Message,
  OTHER,
  query,
  SECRET,
  setUp,
  TOKEN,
  TRANSFER,
} from './providers.ts'

const forLogs =
  (change: (logs: any[]) => unknown): Change =>
  (message, { method }) =>
    method === 'eth_getLogs' ? { ...message, result: change(message.result as any[]) } : message
const firstLog = (fields: object) => forLogs(([log, ...rest]) => [{ ...log, ...fields }, ...rest])
const forBlocks =
  (fields: object): Change =>
  (message, { method }) =>
    method === 'eth_getBlockByNumber'
      ? { ...message, result: { ...message.result, ...fields } }
      : message

describe('valid responses', () => {
  it('contain the head and the finality tags', async () => {
    const { reader, chain } = setUp()
    chain.mineEmpty(100)
    const tip = await reader.tip(['safe', 'finalized'])
    expect(tip).toMatchObject({
      latest: { number: 120, hash: chain.head.hash, parentHash: chain.at(119)!.hash },
      safe: { number: 88, hash: chain.at(88)!.hash },
      finalized: { number: 56, timestamp: chain.at(56)!.timestamp },
    })
  })

  it('contain the logs of a range, and of a block by its hash', async () => {
    const { reader, chain } = setUp()
    const logs = await reader.logs(query, 1, 20, 'live')
    expect(logs.map(({ blockNumber, data }) => [blockNumber, data])).toEqual([
      [5, '0x01'],
      [5, '0x03'],
      [15, '0x01'],
      [15, '0x03'],
    ])
    expect(await reader.logsOfBlock(query, chain.at(15)!)).toEqual(logs.slice(2))
    expect(logs[0]).toEqual({
      address: TOKEN,
      topics: [TRANSFER],
      data: '0x01',
      blockNumber: 5,
      blockHash: chain.at(5)!.hash,
      blockTimestamp: chain.at(5)!.timestamp,
      transactionHash: chain.at(5)!.transactions[0]!.hash,
      transactionIndex: 0,
      logIndex: 0,
      ordinal: 0,
    })
  })

  it('are matched by ID, in any order', async () => {
    const { first, reader, chain } = setUp()
    first.rule = ({ calls }) => {
      const messages = JSON.parse((first.node.answer(JSON.stringify(calls)) as any).body)
      return json(messages.toReversed())
    }
    const headers = await reader.headers(1, 4)
    expect(headers.map(({ hash }) => hash)).toEqual(chain.slice(1, 4).map(({ hash }) => hash))
  })

  it('may contain uppercase hex and unknown members', async () => {
    const { first, reader, chain } = setUp()
    first.change = (message, { method }) => {
      const upper = JSON.stringify(message.result).replace(/0x[0-9a-f]+/g, (hex) => {
        return `0x${hex.slice(2).toUpperCase()}`
      })
      const result = JSON.parse(upper)
      return { ...message, result: method === 'eth_getLogs' ? result : withMember(result) }
    }
    expect((await reader.tip([])).latest.hash).toBe(chain.head.hash)
    const [log] = await reader.logs(query, 1, 20, 'live')
    expect(log).toMatchObject({ address: TOKEN, topics: [TRANSFER], blockHash: chain.at(5)!.hash })
  })

  it('are sorted by block and log index', async () => {
    const { first, reader } = setUp()
    first.change = forLogs((logs) => logs.toReversed())
    const logs = await reader.logs(query, 1, 20, 'live')
    expect(logs.map(({ blockNumber, logIndex }) => [blockNumber, logIndex])).toEqual([
      [5, 0],
      [5, 2],
      [15, 0],
      [15, 2],
    ])
  })

  it('lose logs without topics, which no filter can match', async () => {
    const { first, reader } = setUp()
    first.change = forLogs(([log, ...rest]) => [{ ...log, topics: [] }, ...rest])
    expect(await reader.logs({ ...query, topics: [] }, 1, 20, 'live')).toHaveLength(3)
  })

  it('number identical logs within one transaction', async () => {
    const { chain, reader } = setUp()
    const log = { address: TOKEN, topics: [TRANSFER], data: '0x07' }
    const other = { ...log, data: '0x08' }
    chain.mine([chain.transaction([log, other, log, log]), chain.transaction([log])])
    const logs = await reader.logs(query, 21, 21, 'live')
    expect(logs.map(({ data, ordinal }) => [data, ordinal])).toEqual([
      ['0x07', 0],
      ['0x08', 0],
      ['0x07', 1],
      ['0x07', 2],
      ['0x07', 0],
    ])
  })

  it.each([undefined, null, '0x0'])(
    'get the time of the block header if the block time of a log is %s',
    async (time) => {
      const { first, reader, chain } = setUp()
      first.change = forLogs((logs) => logs.map((log) => ({ ...log, blockTimestamp: time })))
      const [log] = await reader.logs(query, 1, 20, 'live')
      expect(log!.blockTimestamp).toBe(chain.at(5)!.timestamp)
    },
  )
})

const withMember = (result: object | string) =>
  typeof result === 'string' ? result : { ...result, surprise: [1] }

describe('invalid responses', () => {
  const word = `0x${'12'.repeat(32)}`

  it.each<[string, Change]>([
    ['no list', forLogs(() => ({}))],
    ['a log that is no object', forLogs(() => ['0x'])],
    ['an address too short', firstLog({ address: '0xa1' })],
    ['an address that was not asked for', firstLog({ address: OTHER })],
    ['topics that were not asked for', firstLog({ topics: [word] })],
    ['no topics list', firstLog({ topics: null })],
    ['five topics', firstLog({ topics: Array(5).fill(TRANSFER) })],
    ['a topic too long', firstLog({ topics: [`${TRANSFER}00`] })],
    ['data of half a byte', firstLog({ data: '0x012' })],
    ['data that is no hex', firstLog({ data: '0xzz' })],
    ['a number that is no quantity', firstLog({ logIndex: 0 })],
    ['a number with leading zeros', firstLog({ logIndex: '0x00' })],
    ['a number too large', firstLog({ logIndex: '0xffffffffffffffff' })],
    ['a block before the range', firstLog({ blockNumber: '0x0' })],
    ['a block behind the range', firstLog({ blockNumber: '0x15' })],
    ['two hashes of one block', firstLog({ blockHash: word })],
    ['two times of one block', firstLog({ blockTimestamp: '0x1' })],
    ['a log twice', forLogs((logs) => [...logs, logs[0]])],
    ['two logs of one index', firstLog({ logIndex: '0x2' })],
    [
      'two blocks of one hash',
      forLogs((logs) => logs.map((log) => ({ ...log, blockHash: logs[0].blockHash }))),
    ],
    [
      'a transaction in two blocks',
      forLogs((logs) => logs.map((log) => ({ ...log, transactionHash: word }))),
    ],
    [
      'another time than its header has',
      forLogs((logs) => {
        const head = { ...logs[0], blockNumber: '0x14', logIndex: '0x0', transactionHash: word }
        return [...logs, { ...head, blockHash: `0x${'00'.repeat(32)}` }]
      }),
    ],
  ])('are rejected for logs: %s', async (what, change) => {
    const { first, reader } = setUp({ nodes: 2 })
    first.change = change
    // The second endpoint answers correctly.
    expect(await reader.logs(query, 1, 20, 'live')).toHaveLength(4)
    const expected = what.startsWith('another time') ? 'lags' : /^bad_answer: /
    expect(reader.health()[0]!.lastFailure).toMatch(expected)
  })

  it.each<[string, Change]>([
    ['another block than was asked for', forBlocks({ number: '0x3' })],
    ['no hash', forBlocks({ hash: null })],
    ['a hash too short', forBlocks({ hash: '0x12' })],
    ['no bloom', forBlocks({ logsBloom: undefined })],
    ['a bloom too short', forBlocks({ logsBloom: '0x00' })],
    ['no time', forBlocks({ timestamp: 12 })],
  ])('are rejected for a header: %s', async (_, change) => {
    const { first, reader, chain } = setUp({ nodes: 2 })
    first.change = change
    expect(await reader.headersOf([4])).toMatchObject([{ hash: chain.at(4)!.hash }])
    expect(reader.health()[0]).toMatchObject({
      state: 'failing',
      lastFailure: expect.stringMatching(/^bad_answer: /),
    })
  })

  it('are rejected for headers of two branches', async () => {
    const { first, reader } = setUp()
    const parentHash = word
    first.change = (message) =>
      message.result?.number === '0x7'
        ? { ...message, result: { ...message.result, parentHash } }
        : message
    await expect(reader.headers(5, 9)).rejects.toThrow(NodeLaggingError)
  })

  it.each<[string, (messages: Message[]) => unknown]>([
    ['an answer twice', ([one, ...rest]) => [one, one, ...rest]],
    ['one missing', (messages) => messages.slice(1)],
    ['a foreign id', ([one, ...rest]) => [{ ...one, id: 999 }, ...rest]],
    ['no id', ([one, ...rest]) => [{ ...one, id: null }, ...rest]],
    ['one with neither result nor error', ([one, ...rest]) => [{ id: one!.id }, ...rest]],
    ['one that is no object', ([, ...rest]) => ['0x1', ...rest]],
    ['nothing', () => []],
    ['one for all', ([one]) => one],
    ['null', () => null],
  ])('are rejected for a batch with %s', async (_, change) => {
    const { first, reader } = setUp()
    first.rule = ({ calls }) =>
      json(change(JSON.parse((first.node.answer(JSON.stringify(calls)) as any).body)))
    expect(await failureOf(reader.headers(1, 4))).toMatchObject({ failures: ['not_json_rpc'] })
  })

  it.each<[string, () => Response, string]>([
    ['an error inside 200', () => json({ id: null, error: { code: -32603 } }), 'rpc_error_-32603'],
    ['an error without a code', () => json({ id: null, error: SECRET }), 'rpc_error_0'],
    [
      'an error inside 500',
      () => json({ id: null, error: { code: -32000, message: SECRET } }, { status: 500 }),
      'rpc_error_-32000',
    ],
    ['a code that nobody has', () => json({ id: null, error: { code: 1e9 } }), 'rpc_error'],
    ['a page with 503', () => new Response(SECRET, { status: 503 }), 'http_503'],
    ['JSON that is none of JSON-RPC with 401', () => json({}, { status: 401 }), 'http_401'],
    ['no JSON', () => new Response(`<html>${SECRET}`), 'not_json'],
    ['nothing', () => new Response(''), 'not_json'],
    ['a redirect', () => Response.redirect(`https://elsewhere.example/${SECRET}`), 'redirected'],
    ['429', () => new Response('', { status: 429 }), 'rate_limited'],
    [
      'a rate in the error of one question',
      () =>
        json([
          { id: 1, result: '0x1' },
          { id: 2, error: { code: -32005, message: '' } },
        ]),
      'rate_limited',
    ],
    [
      'a text too long',
      () => new Response('1', { headers: { 'content-length': String(17 * 1024 * 1024) } }),
      'too_large',
    ],
  ])('are reported without secrets: %s', async (_, rule, failure) => {
    const { first, reader, lines } = setUp()
    first.rule = rule
    const away = await failureOf(reader.tip([]))
    expect(away).toBeInstanceOf(ChainUnreachableError)
    expect(away.failures).toEqual([failure])
    expect(JSON.stringify([away, away.message, away.stack, lines, reader.health()])).not.toMatch(
      /hunter2|example/,
    )
  })
})

describe('a node without the requested block', () => {
  it.each<[string, Change]>([
    ['null', (message) => ({ id: message.id, result: null })],
    ...[
      [-32000, 'header not found'],
      [-32001, 'Resource not found'],
      [-39001, 'Unknown block'],
      [-32000, 'block "20" not available (head block: 17)'],
    ].map(([code, text]): [string, Change] => [
      String(text),
      ({ id }) => ({ id, error: { code, message: text } }),
    ]),
  ])('is distinguished from a failing node: %s', async (_, change) => {
    const { first, reader } = setUp()
    await reader.tip([])
    first.change = change
    await expect(reader.headers(18, 20)).rejects.toThrow(NodeLaggingError)
    await expect(reader.logs(query, 18, 20, 'live')).rejects.toThrow(NodeLaggingError)
    expect(reader.health()[0]!.state).toBe('healthy')
  })

  it('is detected if it returns neither logs nor the block for the requested hash', async () => {
    const { first, reader, chain } = setUp()
    first.change = (message, { method }) => ({
      ...message,
      result: method === 'eth_getLogs' ? [] : method === 'eth_chainId' ? message.result : null,
    })
    await expect(reader.logsOfBlock(query, chain.at(5)!)).rejects.toThrow(NodeLaggingError)
  })

  it('is detected if it does not have the last block of a range', async () => {
    const { first, reader } = setUp()
    first.node.views = [{ lag: 1 }]
    await expect(reader.logs(query, 1, 20, 'live')).rejects.toThrow(NodeLaggingError)
  })

  it('is detected by logs marked as removed', async () => {
    const { first, reader } = setUp()
    first.change = firstLog({ removed: true })
    await expect(reader.logs(query, 1, 20, 'live')).rejects.toThrow(NodeLaggingError)
  })

  it('is detected by a final block above its head (two nodes behind one address)', async () => {
    const { first, reader } = setUp()
    first.change = (message, { params }) =>
      params[0] === 'safe' ? { ...message, result: { ...message.result, number: '0x15' } } : message
    await expect(reader.tip(['safe'])).rejects.toThrow(NodeLaggingError)
  })
})

describe('given arbitrary responses', () => {
  /** Replaces the value at one path of a response. */
  const change = (value: any, path: number[], put: unknown): unknown => {
    const [step, ...rest] = path
    if (step === undefined || typeof value !== 'object' || value === null) return put
    const keys = Object.keys(value)
    if (keys.length === 0) return put
    const key = keys[step % keys.length]!
    const copy = Array.isArray(value) ? [...value] : { ...value }
    copy[key as never] = change(value[key], rest, put) as never
    return copy
  }
  const values = fc.oneof(
    fc.constantFrom(
      null,
      '0x',
      '0x0',
      '0x5',
      '0x14',
      '0xffffffffffffffff',
      TOKEN,
      TRANSFER,
      [],
      {},
    ),
    fc.constantFrom({ code: -32005, message: 'limit exceeded' }, { code: -32000, message: 'x' }),
    fc.constantFrom('query returned more than 10000 results', 'unknown block', true, -1, 413),
    fc.jsonValue({ maxDepth: 2 }),
  )
  const mutation = fc.record({
    path: fc.array(fc.nat(12), { maxLength: 5 }),
    put: values,
    member: fc.constantFrom('result', 'error', 'whole'),
  })

  it('the reader throws only its own errors, or returns the requested data', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(mutation, { minLength: 1, maxLength: 3 }), async (mutations) => {
        const { first, reader, chain } = setUp()
        await reader.tip([])
        first.rule = ({ calls }) => {
          const honest = JSON.parse((first.node.answer(JSON.stringify(calls)) as any).body)
          return json(
            mutations.reduce((body, { path, put, member }) => {
              if (member === 'whole') return change(body, path, put)
              const at = (path[0] ?? 0) % calls.length
              const message = Array.isArray(body) ? body[at] : body
              if (typeof message !== 'object' || message === null) return body
              const other = { ...message, [member]: change(message[member], path.slice(1), put) }
              return Array.isArray(body) ? body.with(at, other) : other
            }, honest),
          )
        }
        const own = (error: unknown) => {
          if (error instanceof ChainUnreachableError || error instanceof NodeLaggingError)
            return undefined
          if (error instanceof RangeRejectedError) return undefined
          throw error
        }
        const logs = await reader.logs(query, 4, 16, 'live').catch(own)
        for (const [n, log] of (logs ?? []).entries()) {
          expect(log.address).toBe(TOKEN)
          expect(log.topics[0]).toBe(TRANSFER)
          expect(log.blockNumber).toBeGreaterThanOrEqual(4)
          expect(log.blockNumber).toBeLessThanOrEqual(16)
          expect(log.blockTimestamp).toBeGreaterThan(0)
          expect(log.data).toMatch(/^0x([0-9a-f]{2})*$/)
          const before = logs![n - 1]
          if (before?.blockNumber === log.blockNumber)
            expect(log.logIndex).toBeGreaterThan(before.logIndex)
          else if (before) expect(log.blockNumber).toBeGreaterThan(before.blockNumber)
        }
        const byHash = await reader.logsOfBlock(query, chain.at(5)!).catch(own)
        for (const log of byHash ?? []) expect(log.blockHash).toBe(chain.at(5)!.hash)
        const headers = await reader.headers(3, 6).catch(own)
        expect((headers ?? []).every(({ number }, n) => number === 3 + n)).toBe(true)
      }),
      { numRuns: 300 },
    )
  })
})
