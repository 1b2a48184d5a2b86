import { describe, expect, it, vi } from 'vitest'
import { HttpChainReader } from '../../../../edge/chain/rpc/http-chain-reader.ts'
import {
  ChainUnreachableError,
  NodeLaggingError,
  RangeRejectedError,
} from '../../../../shared/rpc/chain-read-errors.ts'
import { ChainNode } from '../../../doubles/chain-node/chain-node.ts'
import { ScriptedChain } from '../../../doubles/chain-node/scripted-chain.ts'
import {
  type Call,
  failureOf,
  json,
  logOf,
  OTHER,
  query,
  SECRET,
  setUp,
  testClock,
  TOKEN,
  TRANSFER,
} from './providers.ts'

const asked = (node: ChainNode, method: string) => node.methods.get(method) ?? 0
const away = () => new Response('', { status: 503 })
const hangs = () => new Promise<never>(() => {})

describe('one endpoint', () => {
  it('is queried for its chain ID once, in the first request', async () => {
    const { first, reader } = setUp()
    await reader.tip([])
    await reader.headers(1, 3)
    expect([asked(first.node, 'eth_chainId'), first.node.requests]).toEqual([1, 2])
  })

  it('is not used if it serves another chain, and is probed again after five minutes', async () => {
    const { first, second, reader, clock, chain } = setUp({ nodes: 2 })
    first.node.chain = new ScriptedChain({ chainId: 5 })
    expect((await reader.tip([])).latest.hash).toBe(chain.head.hash)
    expect(reader.health().map(({ state }) => state)).toEqual(['wrong_chain', 'healthy'])
    await reader.tip([])
    expect([first.node.requests, second.node.requests]).toEqual([1, 2])

    first.node.chain = chain
    clock.advance(300_000)
    await reader.tip([])
    await vi.waitFor(() => expect(reader.health()[0]!.state).toBe('healthy'))
    expect(asked(first.node, 'eth_chainId')).toBe(2)
  })

  it('is tried again at once if the clock is set back during its backoff', async () => {
    const { first, reader, clock } = setUp()
    first.rule = away
    await failureOf(reader.tip([]))
    first.rule = undefined
    clock.advance(-3_600_000)
    await reader.tip([])
    expect(reader.health()[0]!.state).toBe('healthy')
  })

  it('is queried for its chain ID again when it recovers', async () => {
    const { first, reader, clock } = setUp()
    await reader.tip([])
    first.rule = away
    await failureOf(reader.tip([]))
    first.rule = undefined
    first.node.chain = new ScriptedChain({ chainId: 5 })
    clock.advance(1_000)
    expect(await failureOf(reader.tip([]))).toMatchObject({ failures: ['wrong_chain'] })
  })

  it('times out after ten seconds, and its request is aborted', async () => {
    const { first, reader, clock } = setUp()
    let signal: AbortSignal | undefined
    first.rule = (request) => {
      signal = request.signal
      return hangs()
    }
    const failed = failureOf(reader.tip([]))
    await vi.waitFor(() => expect(signal).toBeDefined())
    clock.advance(10_000)
    expect(await failed).toMatchObject({ failures: ['timeout'] })
    expect(signal!.aborted).toBe(true)
    expect(clock.sleeping()).toBe(0)
  })

  it('gets single requests if it rejects batches, and batches again after ten minutes', async () => {
    const { first, reader, clock, chain } = setUp()
    first.node.limits = { batch: 1 }
    const headers = await reader.headers(1, 6)
    expect(headers.map(({ hash }) => hash)).toEqual(chain.slice(1, 6).map(({ hash }) => hash))
    const { requests } = first.node
    await reader.tip(['safe'])
    expect(first.node.requests - requests).toBe(2)
    expect(reader.health()[0]!.state).toBe('healthy')

    first.node.limits = {}
    clock.advance(600_000)
    await reader.tip(['safe'])
    expect(first.node.requests - requests).toBe(3)
  })

  it('gets single requests if it does not support batches', async () => {
    const { first, reader } = setUp()
    first.rule = ({ calls }) => (calls.length > 1 ? new Response('', { status: 400 }) : undefined)
    expect((await reader.tip(['safe'])).latest.number).toBe(20)
    expect(await reader.logs(query, 1, 20, 'live')).toHaveLength(4)
  })

  it('gets short batches if it limits their size', async () => {
    const { first, reader } = setUp()
    first.node.limits = { batch: 12 }
    expect(await reader.headers(1, 20)).toHaveLength(20)
    expect(reader.health()[0]!.state).toBe('healthy')
  })

  it('gets a shorter batch if its response would be too large', async () => {
    const { first, reader } = setUp()
    first.rule = ({ calls }) =>
      calls.length > 10
        ? json(
            calls.map(({ id }) => ({ id, error: { code: -32003, message: 'response too large' } })),
          )
        : undefined
    expect(await reader.headers(1, 20)).toHaveLength(20)
  })

  it('gets addresses in chunks if it limits them, and the limit is remembered', async () => {
    const { first, reader } = setUp()
    first.node.limits = { addresses: 3 }
    const addresses = Array.from({ length: 10 }, (_, n) => `0x${String(n).padStart(40, '0')}`)
    const wide = { addresses: [TOKEN, ...addresses, OTHER], topics: [[TRANSFER]] }
    expect(await reader.logs(wide, 1, 20, 'live')).toHaveLength(6)
    const questions = asked(first.node, 'eth_getLogs')
    expect(await reader.logs(wide, 1, 20, 'live')).toHaveLength(6)
    expect(asked(first.node, 'eth_getLogs') - questions).toBe(4)
  })

  it('gets topics in chunks if it limits them, and the limit is remembered', async () => {
    const { first, reader } = setUp()
    const topics = Array.from({ length: 9 }, (_, n) => `0x${String(n).padStart(64, '0')}`)
    const wide = { addresses: [TOKEN, OTHER], topics: [[...topics, TRANSFER]] }
    const message = 'exceed max addresses or topics per search position'
    first.change = (answer, { params }) =>
      params[0]?.topics?.[0].length > 4 && Array.isArray(params[0].topics[0])
        ? { id: answer.id, error: { code: -32602, message } }
        : answer
    expect(await reader.logs(wide, 1, 20, 'live')).toHaveLength(6)
    const questions = asked(first.node, 'eth_getLogs')
    expect(await reader.logs(wide, 1, 20, 'live')).toHaveLength(6)
    expect(asked(first.node, 'eth_getLogs') - questions).toBe(5)
  })

  it.each([
    [3, 'in parts', 5],
    [1, 'with a position left open', 1],
  ])('with a limit of %i topics in a later position is queried %s', async (most, _, questions) => {
    const { first, reader, chain } = setUp()
    const topicOf = (n: number) => `0x${String(n).padStart(64, '0')}`
    const transfer = (n: number) => ({ address: TOKEN, topics: [TRANSFER, topicOf(n)], data: '0x' })
    chain.mine([transfer(1), transfer(9), transfer(99)])
    const topics = Array.from({ length: 20 }, (__, n) => topicOf(n))
    const filtered = {
      addresses: [TOKEN],
      topics: [[TRANSFER], topics.slice(0, most === 3 ? 10 : 20)],
    }
    const message = 'exceed max topics'
    first.change = (answer, { params }) =>
      params[0]?.topics?.some((allowed: unknown) => Array.isArray(allowed) && allowed.length > most)
        ? { id: answer.id, error: { code: -32602, message } }
        : answer
    const last = chain.head.number
    expect(await reader.logs(filtered, last, last, 'live')).toHaveLength(2)
    const before = asked(first.node, 'eth_getLogs')
    expect(await reader.logs(filtered, last, last, 'live')).toHaveLength(2)
    expect(asked(first.node, 'eth_getLogs') - before).toBe(questions)
  })

  it('is queried for parts of the addresses if one block exceeds its log limit', async () => {
    const { first, reader, chain } = setUp()
    first.rule = ({ calls }) => {
      const tooMany = calls.some(({ params }) => Array.isArray(params[0]?.address))
      if (!tooMany) return undefined
      return json(
        calls.map(({ id, method }) =>
          method === 'eth_getLogs'
            ? { id, error: { code: -32005, message: 'query returned more than 2 results' } }
            : { id, result: method === 'eth_chainId' ? '0x1' : null },
        ),
      )
    }
    const both = { ...query, addresses: [TOKEN, OTHER] }
    expect(await reader.logsOfBlock(both, chain.at(5)!)).toHaveLength(3)
    expect(await reader.logs(both, 5, 5, 'live')).toHaveLength(3)
  })

  it('gets no trailing nulls in topics, which some nodes reject', async () => {
    const { first, reader } = setUp()
    let params: unknown
    first.rule = ({ calls }) => {
      params = calls.find(({ method }) => method === 'eth_getLogs')?.params
      return undefined
    }
    await reader.logs({ ...query, topics: [[TRANSFER], null, null] }, 1, 20, 'live')
    expect(params).toEqual([
      { address: TOKEN, topics: [TRANSFER], fromBlock: '0x1', toBlock: '0x14' },
    ])
  })

  it.each([
    ['an error for all', () => ({ id: null, error: { code: -32600, message: LIMITED } })],
    [
      'an error for each',
      (calls: Call[]) => calls.map(({ id }) => ({ id, error: { code: 429, message: LIMITED } })),
    ],
  ])('stays healthy when it refuses a range with %s', async (_, answers) => {
    const { first, reader } = setUp()
    await reader.tip([])
    first.rule = ({ calls }) => json(answers(calls), { status: 400 })
    const refused = await failureOf(reader.logs(query, 1, 20, 'backfill'))
    expect(refused).toBeInstanceOf(RangeRejectedError)
    expect(refused.blocks).toBe(5)
    expect(reader.health()[0]!.state).toBe('healthy')
  })

  it.each<[string, () => Response | Promise<never>]>([
    ['takes too long', hangs],
    ['fails behind its proxy', () => new Response('', { status: 504 })],
  ])('may answer a smaller range if it %s', async (_, rule) => {
    const { first, reader, clock } = setUp()
    first.rule = rule
    const failed = failureOf(reader.logs(query, 1, 20, 'backfill'))
    await vi.waitFor(() => expect(reader).toBeDefined())
    clock.advance(10_000)
    expect(await failed).toMatchObject({ name: 'ChainUnreachableError', perhapsRange: true })
  })

  it('stays healthy after an unknown error, and may answer a smaller range', async () => {
    const { first, reader } = setUp()
    first.change = (message, { method }) =>
      method === 'eth_getLogs' ? { id: message.id, error: { code: -32046, message: '' } } : message
    expect(await failureOf(reader.logs(query, 1, 20, 'backfill'))).toMatchObject({
      name: 'ChainUnreachableError',
      perhapsRange: true,
      failures: ['rpc_error_-32046'],
    })
    expect(reader.health()[0]!.state).toBe('healthy')
  })
})

const LIMITED = 'eth_getLogs is limited to a 5 range'

describe('block tags', () => {
  it.each([
    [{ code: -32602, message: 'unsupported block tag: finalized' }],
    [{ code: -39001, message: 'Unknown block' }],
    [{ code: -32000, message: 'finalized block not found' }],
  ])('are null if a provider does not support them: %j', async (error) => {
    const { first, reader } = setUp()
    first.change = (message, { params }) =>
      params[0] === 'finalized' ? { id: message.id, error } : message
    const tip = await reader.tip(['safe', 'finalized'])
    expect([tip.safe?.number, tip.finalized]).toEqual([0, null])
    expect(reader.health()[0]!.state).toBe('healthy')
  })

  it('are requested from an endpoint that supports them', async () => {
    const { first, second, reader } = setUp({ nodes: 2 })
    first.node.tags = []
    expect((await reader.tip(['finalized'])).finalized?.number).toBe(0)
    await reader.tip(['finalized'])
    expect([first.node.requests, second.node.requests]).toEqual([1, 2])
  })

  it('fail the request if they fail for another reason', async () => {
    const { first, reader } = setUp()
    first.change = (message, { params }) =>
      params[0] === 'safe' ? { id: message.id, error: { code: -32603, message: '' } } : message
    expect(await failureOf(reader.tip(['safe']))).toMatchObject({ failures: ['rpc_error_-32603'] })
  })
})

describe('several endpoints', () => {
  it('are used in order: the first healthy one gets every request', async () => {
    const { first, second, reader } = setUp({ nodes: 2 })
    for (let n = 0; n < 5; n++) await reader.headersOf([n])
    expect([first.node.requests, second.node.requests]).toEqual([5, 0])
  })

  it('are each tried at most once per request', async () => {
    const { providers, reader } = setUp({ nodes: 3 })
    const requests = [0, 0, 0]
    for (const [n, provider] of providers.entries())
      provider.rule = () => {
        requests[n]!++
        return away()
      }
    expect(await failureOf(reader.tip([]))).toBeInstanceOf(ChainUnreachableError)
    expect(requests).toEqual([1, 1, 1])
  })

  it('back off from a failing one for longer each time, up to a minute', async () => {
    const { first, reader, clock, lines } = setUp({ nodes: 2 })
    first.rule = away
    for (let n = 0; n < 12; n++) {
      await reader.tip([])
      await vi.waitFor(() => expect(lines).toHaveLength(n + 1))
      clock.advance(JSON.parse(lines.at(-1)!).for_ms)
    }
    const waits = lines.map((line) => JSON.parse(line).for_ms)
    expect(waits.slice(0, 8)).toEqual([1, 2, 4, 8, 16, 32, 60, 60].map((s) => s * 1000))
    expect(lines[0]).toBe(
      '{"event":"rpc.out","endpoint":0,"lane":"live","failure":"http_503","for_ms":1000}',
    )
  })

  it('return to the first one after a background probe finds it healthy', async () => {
    const { first, second, reader, clock } = setUp({ nodes: 2 })
    first.rule = away
    await reader.tip([])
    first.rule = undefined
    clock.advance(1_000)
    await reader.tip([])
    expect(asked(second.node, 'eth_chainId')).toBe(1)
    expect(second.node.requests).toBe(2)
    await vi.waitFor(() => expect(reader.health()[0]!.state).toBe('healthy'))
    await reader.tip([])
    expect(second.node.requests).toBe(2)
  })

  it('probe a failing one with one request at a time', async () => {
    const { first, reader, clock } = setUp()
    first.rule = away
    await failureOf(reader.tip([]))
    clock.advance(1_000)
    let requests = 0
    first.rule = () => {
      requests++
      return hangs()
    }
    const tried = failureOf(reader.tip([]))
    expect(await failureOf(reader.tip([]))).toMatchObject({ failures: [] })
    clock.advance(10_000)
    await tried
    expect(requests).toBe(1)
  })

  it('back off only once when several requests fail together', async () => {
    const { first, reader, lines } = setUp()
    first.rule = away
    await Promise.all([1, 2, 3, 4].map((n) => failureOf(reader.headersOf([n]))))
    expect(lines).toHaveLength(1)
  })

  it('do not back off longer for requests that were sent before the backoff', async () => {
    const { first, reader, clock, lines } = setUp()
    await reader.tip([])
    const fail: (() => void)[] = []
    first.rule = () => new Promise((resolve) => fail.push(() => resolve(away())))
    const tips = [1, 2, 3].map(() => failureOf(reader.tip([])))
    await vi.waitFor(() => expect(fail).toHaveLength(3))
    fail[0]!()
    await tips[0]
    clock.advance(1_000)
    const probe = failureOf(reader.tip([]))
    await vi.waitFor(() => expect(fail).toHaveLength(4))
    for (const end of fail) end()
    await Promise.all([...tips, probe])
    expect(lines.map((line) => JSON.parse(line).for_ms)).toEqual([1_000, 2_000])
  })

  it('are retried after five seconds if none is left', async () => {
    const { first, reader, clock } = setUp()
    first.rule = away
    for (const ms of [1_000, 2_000, 4_000]) {
      await failureOf(reader.tip([]))
      clock.advance(ms)
    }
    await failureOf(reader.tip([]))
    first.rule = undefined
    expect(await failureOf(reader.tip([]))).toMatchObject({ failures: [] })
    clock.advance(5_000)
    expect((await reader.tip([])).latest.number).toBe(20)
  })

  it('respect Retry-After even if none is left', async () => {
    const { first, reader, clock } = setUp()
    first.rule = () => new Response('', { status: 429, headers: { 'retry-after': '90' } })
    await failureOf(reader.tip([]))
    first.rule = undefined
    clock.advance(89_000)
    expect(await failureOf(reader.tip([]))).toMatchObject({ failures: [] })
    clock.advance(1_000)
    expect((await reader.tip([])).latest.number).toBe(20)
  })

  it('skip a lagging one until it catches up', async () => {
    const { first, second, reader, clock } = setUp({ nodes: 2 })
    first.node.views = [{ lag: 10 }]
    await reader.tip([])
    await vi.waitFor(() => expect(reader.health()[1]!.head).toBe(20))
    expect((await reader.tip([])).latest.number).toBe(10)
    expect(reader.health()[0]).toMatchObject({ state: 'lagging', head: 10 })
    expect((await reader.tip([])).latest.number).toBe(20)

    first.node.views = [{ lag: 0 }]
    clock.advance(30_000)
    await reader.tip([])
    await vi.waitFor(() => expect(reader.health()[0]!.state).toBe('healthy'))
    const { requests } = second.node
    await reader.tip([])
    expect(second.node.requests).toBe(requests)
  })

  it('use a lagging one if no other is left', async () => {
    const { first, second, reader } = setUp({ nodes: 2 })
    first.node.views = [{ lag: 10 }]
    await reader.tip([])
    await vi.waitFor(() => expect(reader.health()[1]!.head).toBe(20))
    await reader.tip([])
    second.rule = away
    expect((await reader.tip([])).latest.number).toBe(10)
  })

  it('blame one for a missing block only if another has it', async () => {
    const { first, second, reader } = setUp({ nodes: 2 })
    first.node.views = second.node.views = [{ lag: 2 }]
    await expect(reader.headersOf([20])).rejects.toThrow(NodeLaggingError)
    expect(reader.health().map(({ state }) => state)).toEqual(['healthy', 'healthy'])
    second.node.views = [{ lag: 0 }]
    expect(await reader.headersOf([20])).toHaveLength(1)
    expect(reader.health()[0]).toMatchObject({ state: 'failing', lastFailure: 'lags' })
  })

  it('report their health by position', async () => {
    const { reader } = setUp({ nodes: 2 })
    await reader.headersOf([1])
    expect(reader.health()).toEqual([
      { endpoint: 0, state: 'healthy', head: null, latencyMs: 0, lastFailure: null },
      { endpoint: 1, state: 'unknown', head: null, latencyMs: null, lastFailure: null },
    ])
  })
})

describe('live and backfill requests', () => {
  it('share six connections, two of them reserved for live requests', async () => {
    const { first, reader, chain } = setUp()
    await reader.tip([])
    const open: Call[][] = []
    const go: (() => void)[] = []
    first.rule = async ({ calls }) => {
      open.push(calls)
      await new Promise<void>((resolve) => go.push(resolve))
      return json(JSON.parse((first.node.answer(JSON.stringify(calls)) as any).body))
    }
    const backfills = Array.from({ length: 9 }, () => reader.logs(query, 1, 20, 'backfill'))
    const live = [1, 2, 3].map(() => reader.logsOfBlock(query, chain.at(5)!))
    await vi.waitFor(() => expect(open).toHaveLength(6))
    const isLive = (calls: Call[]) => calls[0]!.method === 'eth_getBlockByHash'
    expect(open.filter(isLive)).toHaveLength(2)
    // The third live request goes before backfill requests that have waited longer.
    go.shift()!()
    await vi.waitFor(() => expect(open).toHaveLength(7))
    expect(isLive(open[6]!)).toBe(true)
    const finished = Promise.all([...backfills, ...live])
    const pump = vi.waitFor(() => {
      for (const one of go.splice(0)) one()
      expect(open).toHaveLength(12)
    })
    await pump
    for (const one of go.splice(0)) one()
    expect((await finished).every((logs) => logs.length > 0)).toBe(true)
  })

  it('fail separately: a rate-limited backfill does not block live requests', async () => {
    const { first, reader, clock } = setUp()
    await reader.tip([])
    first.rule = () => new Response('', { status: 429 })
    await failureOf(reader.logs(query, 1, 20, 'backfill'))
    first.rule = undefined
    expect(await failureOf(reader.logs(query, 1, 20, 'backfill'))).toMatchObject({ failures: [] })
    expect((await reader.tip([])).latest.number).toBe(20)
    clock.advance(1_000)
    expect(await reader.logs(query, 1, 20, 'backfill')).toHaveLength(4)
  })
})

describe('a secret in an endpoint URL', () => {
  const build = (
    endpoints: string[],
    fetch: (url: string, init: RequestInit) => Promise<Response>,
  ) =>
    new HttpChainReader({
      endpoints,
      chainId: 1,
      fetch,
      now: Date.now,
      sleep: testClock().sleep,
      random: () => 0,
      log: () => {},
    })

  it('is not revealed when an invalid URL is rejected', () => {
    expect(() => build([`//${SECRET}`], hangs)).toThrow("the chain's endpoint 0 is not a URL")
  })

  it('is sent as a header if it is a user name or password', async () => {
    const requests: { url: string; headers: Headers }[] = []
    const reader = build(
      [`https://me:p%40ss%@node.example/x?key=1#y`],
      async (url, { headers }) => {
        requests.push({ url, headers: new Headers(headers) })
        return away()
      },
    )
    await failureOf(reader.tip([]))
    expect(requests[0]!.url).toBe('https://node.example/x?key=1')
    expect(requests[0]!.headers.get('authorization')).toBe(`Basic ${btoa('me:p%40ss%')}`)
  })

  it('is not revealed by an endpoint that quotes its own URL', async () => {
    const { first, reader, lines } = setUp()
    const said: unknown[] = []
    const url = `https://node-0.example/v3/${SECRET}`
    for (const rule of [
      () => Promise.reject(new TypeError(`fetch of ${url} failed`)),
      () => json({ id: null, error: { code: url, message: url, data: url } }),
      () => json({ id: null, error: { code: -32000, message: `${url} failed` } }, { status: 500 }),
      () => new Response(url, { status: 502, statusText: url, headers: { location: url } }),
      () => new Response(url),
      () => Response.redirect(url),
    ] as const) {
      const { first: one, reader: fresh, lines: own } = setUp()
      one.rule = rule
      const failure = await failureOf(fresh.tip([]))
      said.push(
        failure.message,
        failure.stack,
        failure.failures,
        failure.cause,
        own,
        fresh.health(),
      )
    }
    first.rule = ({ calls }) =>
      json(
        calls.map(({ id }) => ({ id, error: { code: 1, message: `limited to a 5 range ${url}` } })),
      )
    said.push((await failureOf(reader.logs(query, 1, 20, 'live'))).message, lines)
    expect(JSON.stringify(said)).not.toMatch(/hunter2|example/)
  })
})

describe('logs of one provider', () => {
  it('need extra header requests only if block times are missing', async () => {
    const { first, reader, chain } = setUp()
    chain.mine([logOf('0x01')])
    await reader.logs(query, 1, 21, 'live')
    expect(first.node.requests).toBe(1)
    first.node.tellsBlockTime = false
    await reader.logs(query, 1, 21, 'live')
    // The first request included the header of the last block.
    expect([first.node.requests, asked(first.node, 'eth_getBlockByNumber')]).toEqual([3, 4])
  })
})
