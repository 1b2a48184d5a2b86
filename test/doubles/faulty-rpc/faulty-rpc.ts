/** A JSON-RPC proxy in front of a node, with faults drawn from a seed. Their order also depends on that of the requests. */
import { once, EventEmitter } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { keccak256 } from 'ethers'
import type { Random } from '../../origin/credits/simulation/random.ts'
import {
  lagging,
  type Reply,
  type RpcAnswer,
  type RpcCall,
  startJsonRpcProxy,
} from '../json-rpc-proxy.ts'
import {
  DELAY_MAX_MS,
  FALSE_ANSWERS,
  LAG_MAX_BLOCKS,
  LAG_MAX_MS,
  NO_FAULTS,
  OVERTAKEN_WITHIN_MS,
  type RpcFault,
  type RpcFaults,
} from './rpc-faults.ts'

const BROADCAST = 'eth_sendRawTransaction'

type Forward = (calls: RpcCall[]) => Promise<RpcAnswer[]>

export type FaultyRpc = Awaited<ReturnType<typeof startFaultyRpc>>

/** @param target URL of the node. There are no faults until `faults` is set. */
export async function startFaultyRpc(target: string, random: Random) {
  const proxy = await startJsonRpcProxy(target)
  let faults = NO_FAULTS
  let lag = { blocks: 0, until: 0 }
  const counts: Partial<Record<RpcFault, number>> = {}
  const broadcasts = new Map<string, string>()
  const forwarded = new EventEmitter().setMaxListeners(0)

  const draw = (isBroadcast: boolean): RpcFault | undefined => {
    const kinds = Object.keys(faults) as RpcFault[]
    const possible = kinds.filter((kind) =>
      isBroadcast
        ? kind !== 'dropRequest' && kind !== 'dropResponse'
        : !kind.includes('Broadcast') && !(kind in FALSE_ANSWERS),
    )
    const fault = possible.find((kind) => random.chance(faults[kind]))
    if (fault) counts[fault] = (counts[fault] ?? 0) + 1
    return fault
  }

  proxy.use(async (calls, forwardNow) => {
    const forward: Forward = async (asked) => {
      for (const { method, params } of asked)
        if (method === BROADCAST) broadcasts.set(keccak256(params[0]), params[0])
      forwarded.emit('request')
      if (Date.now() >= lag.until) return forwardNow(asked)
      const [head] = await forwardNow([{ id: 0, method: 'eth_blockNumber', params: [] }])
      if (!head || !('result' in head)) return forwardNow(asked)
      const height = Math.max(0, Number(head.result) - lag.blocks)
      return (await lagging(height)(asked, forwardNow)) as RpcAnswer[]
    }
    const fault = draw(calls.some(({ method }) => method === BROADCAST))
    return fault ? disturbed(fault, calls, forward) : forward(calls)
  })

  const disturbed = async (fault: RpcFault, calls: RpcCall[], forward: Forward): Promise<Reply> => {
    switch (fault) {
      case 'dropRequest':
      case 'dropBroadcast':
        return 'cut'
      case 'hang':
        return 'hang'
      case 'dropResponse':
      case 'dropBroadcastResponse':
        await forward(calls)
        return 'cut'
      case 'rateLimit':
        return { status: 429, body: 'Too Many Requests' }
      case 'serverError':
        return { status: 500, body: 'Internal Server Error' }
      case 'truncate': {
        const body = JSON.stringify(await forward(calls))
        return { status: 200, body: body.slice(0, body.length / 2) }
      }
      case 'delay': {
        const ms = random.integer(1, DELAY_MAX_MS)
        if (random.chance(0.5)) {
          await sleep(ms)
          return forward(calls)
        }
        const answers = await forward(calls)
        await sleep(ms)
        return answers
      }
      case 'reorder': {
        const overtaken = AbortSignal.timeout(OVERTAKEN_WITHIN_MS)
        await once(forwarded, 'request', { signal: overtaken }).catch(() => {})
        const answers = await forward(calls)
        if (calls.length === 1) return answers
        const numbered = answers.map((answer, n) => ({
          ...answer,
          jsonrpc: '2.0',
          id: calls[n]!.id,
        }))
        return { status: 200, body: JSON.stringify(numbered.toReversed()) }
      }
      case 'lag':
        lag = {
          blocks: random.integer(1, LAG_MAX_BLOCKS),
          until: Date.now() + random.integer(1, LAG_MAX_MS),
        }
        return forward(calls)
      case 'falseNonceTooLow':
      case 'falseAlreadyKnown':
      case 'falseUnderpriced': {
        const others = calls.filter(({ method }) => method !== BROADCAST)
        const sent = random.chance(0.5) ? calls : others
        const answers = sent.length > 0 ? await forward(sent) : []
        const error = FALSE_ANSWERS[fault]
        return calls.map((call) =>
          call.method === BROADCAST ? { error } : answers[sent.indexOf(call)]!,
        )
      }
    }
  }

  return {
    url: proxy.url,
    seen: proxy.seen,
    /** Number of faults so far, by kind. */
    counts,
    /** Signed bytes of the transactions that have reached the node, by hash. */
    broadcasts: broadcasts as ReadonlyMap<string, string>,
    /** Sets the faults, and ends a lag. */
    set faults(next: RpcFaults) {
      faults = next
      lag = { blocks: 0, until: 0 }
    },
    close: proxy.close,
  }
}
