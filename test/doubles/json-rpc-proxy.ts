/**
 * HTTP JSON-RPC proxy in front of a real node that can misbehave like a provider: lag, errors, slow responses, broken
 * connections. Forwards everything until a test sets a rule.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

export type RpcCall = { id: number; method: string; params: any[] }
export type RpcAnswer = { result: unknown } | { error: { code: number; message: string } }

/** Answers to the calls of a request, or an HTTP error, a broken connection, or no response. */
export type Reply = RpcAnswer[] | { status: number; body: string } | 'cut' | 'hang'

/** @param forward sends calls to the real node */
export type Rule = (
  calls: RpcCall[],
  forward: (calls: RpcCall[]) => Promise<RpcAnswer[]>,
) => Reply | Promise<Reply>

export type JsonRpcProxy = Awaited<ReturnType<typeof startJsonRpcProxy>>

export async function startJsonRpcProxy(target: string) {
  let rule: Rule | undefined
  const methods: string[] = []
  let requests = 0

  const forward = (calls: RpcCall[]) => askNode(target, calls)

  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const asked: unknown = JSON.parse(await textOf(request))
    const calls = [asked].flat() as RpcCall[]
    requests++
    methods.push(...calls.map(({ method }) => method))
    const reply = rule ? await rule(calls, forward) : await forward(calls)
    if (reply === 'hang') return
    if (reply === 'cut') return void response.destroy()
    response.setHeader('content-type', 'application/json')
    if (!Array.isArray(reply)) return void response.writeHead(reply.status).end(reply.body)
    const answers = reply.map((answer, n) => ({ ...answer, jsonrpc: '2.0', id: calls[n]!.id }))
    response.end(JSON.stringify(Array.isArray(asked) ? answers : answers[0]))
  }
  const server = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy())
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as AddressInfo

  return {
    url: `http://127.0.0.1:${port}`,
    /** Sets a rule; `undefined` forwards again. */
    use: (next: Rule | undefined) => {
      rule = next
    },
    /** Number of requests so far, and the methods they called. */
    seen: () => ({ requests, methods: [...methods] }),
    close: async () => {
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    },
  }
}

async function askNode(url: string, calls: RpcCall[]): Promise<RpcAnswer[]> {
  const body = JSON.stringify(calls.map((call) => ({ jsonrpc: '2.0', ...call })))
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(url, { method: 'POST', headers, body })
  const answers = (await response.json()) as (RpcAnswer & { id: number })[]
  return calls.map(({ id }) => answers.find((answer) => answer.id === id)!)
}

/** Forwards to another node, of the same chain or not, as if it had replaced this one. */
export const replacedBy =
  (url: string): Rule =>
  (calls) =>
    askNode(url, calls)

export const slow =
  (delayMs: number): Rule =>
  async (calls, forward) => {
    await sleep(delayMs)
    return forward(calls)
  }

/** Breaks the connection without forwarding. */
export const down: Rule = () => 'cut'

/** Accepts requests and never answers them. */
export const frozen: Rule = () => 'hang'

/**
 * Forwards requests, and falsifies the results.
 * @param lie returns the result to send; its second argument is undefined if the node answered with an error, which is
 *   sent unless the lie is a result
 */
export const lying =
  (lie: (call: RpcCall, result: any) => unknown): Rule =>
  async (calls, forward) =>
    (await forward(calls)).map((answer, n) => {
      const result = lie(calls[n]!, 'result' in answer ? answer.result : undefined)
      return result === undefined ? answer : { result }
    })

/** Forwards requests with this method, and loses their response. */
export const losing =
  (lost: string): Rule =>
  async (calls, forward) => {
    const answers = await forward(calls)
    return calls.some(({ method }) => method === lost) ? 'cut' : answers
  }

/** Load balancer that applies the rule to every second request. */
export function everySecond(rule: Rule): Rule {
  let requests = 0
  return (calls, forward) => (requests++ % 2 === 1 ? rule(calls, forward) : forward(calls))
}

/** Simulates a node that is behind: later blocks are unknown and their logs are missing. */
export const lagging =
  (height: number): Rule =>
  async (calls, forward) => {
    const answers = await forward(calls.map((call) => upTo(height, call)))
    return answers.map((answer, n) =>
      'result' in answer ? hidden(height, calls[n]!, answer) : answer,
    )
  }

/** Index of the block parameter, by method. */
const BLOCK_AT: Record<string, number> = {
  eth_call: 1,
  eth_estimateGas: 1,
  eth_getTransactionCount: 1,
  eth_getBalance: 1,
  eth_getBlockByNumber: 0,
  eth_feeHistory: 1,
}

/** A block beyond every chain here, so that the node answers with its own error for unknown blocks. */
const UNKNOWN_BLOCK = '0x3fffffff'

function upTo(height: number, call: RpcCall): RpcCall {
  const top = `0x${height.toString(16)}`
  const [first] = call.params
  if (call.method === 'eth_getLogs' && first.toBlock !== undefined) {
    const capped = (tag: unknown) => (tag === 'latest' || Number(tag) > height ? top : tag)
    const range = { fromBlock: capped(first.fromBlock), toBlock: capped(first.toBlock) }
    return { ...call, params: [{ ...first, ...range }] }
  }
  const at = BLOCK_AT[call.method]
  if (at === undefined) return call
  const params = [...call.params]
  if ([undefined, 'latest', 'pending'].includes(params[at])) params[at] = top
  else if (Number(params[at]) > height) params[at] = UNKNOWN_BLOCK
  return { ...call, params }
}

/** Hides everything above a height: lowers the head, and makes later blocks, receipts and logs unknown. */
function hidden(height: number, call: RpcCall, answer: { result: unknown }): RpcAnswer {
  if (call.method === 'eth_blockNumber')
    return { result: `0x${Math.min(height, Number(answer.result)).toString(16)}` }
  const result = answer.result as Record<string, unknown> | { blockNumber: string }[] | null
  if (Array.isArray(result)) {
    const isUnknown = result.some((log) => Number(log.blockNumber) > height)
    return isUnknown ? { error: { code: -32_000, message: 'unknown block' } } : answer
  }
  if (call.method === 'eth_getTransactionByHash' && Number(result?.['blockNumber']) > height)
    return { result: { ...result, blockHash: null, blockNumber: null, transactionIndex: null } }
  const isAbove =
    (result?.['hash'] !== undefined && Number(result['number']) > height) ||
    (result?.['transactionHash'] !== undefined && Number(result['blockNumber']) > height)
  return isAbove ? { result: null } : answer
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}
