/** A reader of a scripted chain, and providers with responses that a test can change. */
import { HttpChainReader } from '../../../../edge/chain/rpc/http-chain-reader.ts'
import { ChainNode } from '../../../doubles/chain-node/chain-node.ts'
import { ScriptedChain } from '../../../doubles/chain-node/scripted-chain.ts'

export const TOKEN = `0x${'a1'.repeat(20)}`
export const OTHER = `0x${'b2'.repeat(20)}`
export const TRANSFER = `0x${'dd'.repeat(32)}`
export const query = { addresses: [TOKEN], topics: [[TRANSFER]] }
export const logOf = (data: string, address = TOKEN) => ({ address, topics: [TRANSFER], data })

/** Secret in endpoint URLs and provider texts that must never be shown. */
export const SECRET = 'hunter2'

export type Call = { id: number; method: string; params: any[] }
export type Message = { jsonrpc?: string; id: unknown; result?: any; error?: any }

/** Handles a request before the node does. @returns its response, or undefined to let the node answer */
export type Rule = (request: {
  calls: Call[]
  headers: Headers
  url: string
  signal: AbortSignal
}) => Response | Promise<Response> | undefined

/** Changes the node's correct response to one call. */
export type Change = (message: Message, call: Call) => Message | Message[]

export type Provider = { node: ChainNode; rule?: Rule | undefined; change?: Change | undefined }

/** A clock that the test advances. */
export function testClock() {
  const waiting = new Set<{ at: number; go: () => void }>()
  const clock = {
    now: 1_800_000_000_000,
    advance(ms: number) {
      clock.now += ms
      for (const one of waiting) if (one.at <= clock.now) one.go()
    },
    sleep: (ms: number, ended: AbortSignal) =>
      new Promise<void>((resolve) => {
        const one = { at: clock.now + ms, go: () => (waiting.delete(one), resolve()) }
        waiting.add(one)
        ended.addEventListener('abort', one.go)
      }),
    sleeping: () => waiting.size,
  }
  return clock
}

/** Sets up a chain of 20 blocks. Blocks 5 and 15 have two logs of the token and one log of another contract. */
export function setUp({ nodes: count = 1, chain = twentyBlocks() } = {}) {
  const providers: Provider[] = Array.from({ length: count }, () => ({
    node: new ChainNode(chain, () => 0),
  }))
  const clock = testClock()
  const lines: string[] = []
  const reader = new HttpChainReader({
    endpoints: providers.map((_, n) => `https://node-${n}.example/v3/${SECRET}`),
    chainId: 1,
    fetch: (url, init) => answer(providers[Number(/node-(\d)/.exec(url)![1])]!, url, init),
    now: () => clock.now,
    sleep: clock.sleep,
    random: () => 1,
    log: (event, facts) => lines.push(JSON.stringify({ event, ...facts })),
  })
  const [first, second] = providers as [Provider, Provider]
  return { chain, providers, first, second, clock, lines, reader }
}

function twentyBlocks(): ScriptedChain {
  const chain = new ScriptedChain()
  for (let number = 1; number <= 20; number++)
    chain.mine(number % 10 === 5 ? [logOf('0x01'), logOf('0x02', OTHER), logOf('0x03')] : [])
  return chain
}

async function answer({ node, rule, change }: Provider, url: string, init: RequestInit) {
  const body = init.body as string
  const asked = JSON.parse(body) as Call | Call[]
  const calls = [asked].flat()
  const headers = new Headers(init.headers)
  const ruled = await rule?.({ calls, headers, url, signal: init.signal! })
  if (ruled) return ruled
  const given = node.answer(body)
  if (given === 'hang') return await new Promise<never>(() => {})
  if (typeof given === 'string') throw new TypeError(`fetch failed: ${url}`)
  if (!change) return new Response(given.body, given)
  const messages = [JSON.parse(given.body) as Message | Message[]].flat()
  const changed = messages.flatMap((message, n) => change(message, calls[n]!))
  return Response.json(Array.isArray(asked) ? changed : changed[0])
}

export const json = (value: unknown, init?: ResponseInit) => Response.json(value, init)

/** Returns the error of a request that must fail. */
export async function failureOf(question: Promise<unknown>): Promise<any> {
  try {
    await question
  } catch (error) {
    return error
  }
  throw new Error('it was answered')
}
