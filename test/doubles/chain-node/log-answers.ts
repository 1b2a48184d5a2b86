/** Implements `eth_getLogs` by range or by block hash. */
import type { ChainView } from './chain-view.ts'
import type { LogFault, PlanLimits } from './faults.ts'
import { countRefusal, rangeRefusal, type RpcError } from './refusals.ts'
import type { RpcLog, ScriptedBlock } from './scripted-block.ts'

export type LogsQuery = {
  address?: string | string[]
  topics?: (string | string[] | null)[]
  fromBlock?: string
  toBlock?: string
  blockHash?: string
}

type Circumstances = {
  limits: PlanLimits
  strikes: (fault: LogFault) => boolean
  random: () => number
  tellsBlockTime: boolean
  leavesOutWithin: number
}

export function answerLogs(
  view: ChainView,
  query: LogsQuery,
  circumstances: Circumstances,
): { result: RpcLog[] } | { error: RpcError } {
  const { limits } = circumstances
  const addresses = query.address === undefined ? [] : [query.address].flat()
  if (addresses.length > (limits.addresses ?? Number.POSITIVE_INFINITY))
    return {
      error: { code: -32602, message: 'exceed max addresses or topics per search position' },
    }

  if (query.blockHash !== undefined) {
    const block = view.byHash(query.blockHash)
    if (!block) return { error: { code: -32000, message: 'unknown block' } }
    const { logsOfBlock = Number.POSITIVE_INFINITY } = limits
    if (lastWithin([block], query, logsOfBlock) !== undefined)
      return { error: countRefusal(limits, block.number, block.number) }
    return { result: faulty([block], view, query, circumstances, false) }
  }

  const from = view.named(query.fromBlock ?? 'latest')?.number ?? Number(query.fromBlock)
  const to = view.named(query.toBlock ?? 'latest')?.number ?? Number(query.toBlock)
  if (!(from <= to)) return { error: { code: -32000, message: 'invalid block range params' } }
  if (to - from + 1 > (limits.blocks ?? Number.POSITIVE_INFINITY))
    return { error: rangeRefusal(limits, from) }
  const blocks = [...view.between(from, to)]
  const through = lastWithin(blocks, query, limits.logs ?? Number.POSITIVE_INFINITY)
  if (through !== undefined) return { error: countRefusal(limits, from, Math.max(through, from)) }
  return { result: faulty(blocks, view, query, circumstances, true) }
}

/** @returns the last block that keeps within the limit; undefined if all blocks do */
function lastWithin(blocks: ScriptedBlock[], query: LogsQuery, most: number): number | undefined {
  let count = 0
  for (const block of blocks) {
    count += block.logs.filter((log) => isAsked(log, query)).length
    if (count > most) return block.number - 1
  }
  return undefined
}

function faulty(
  blocks: readonly ScriptedBlock[],
  view: ChainView,
  query: LogsQuery,
  { strikes, random, tellsBlockTime, leavesOutWithin }: Circumstances,
  isRange: boolean,
): RpcLog[] {
  const asked = (block: ScriptedBlock) => block.logs.filter((log) => isAsked(log, query))
  let answered = blocks
  const lowest = view.chain.head.number - leavesOutWithin
  const withLogs = blocks.filter((block) => block.number > lowest && asked(block).length > 0)
  if (isRange && withLogs.length > 0 && strikes('missingBlocks')) {
    const missing = withLogs[Math.floor(random() * withLogs.length)]
    answered = blocks.filter((block) => block !== missing)
  }
  let logs = answered.flatMap(asked)
  if (strikes('unmatchedLogs'))
    logs = logs.concat(
      answered.flatMap((block) => block.logs.filter((log) => !isAsked(log, query))),
    )
  if (strikes('orphanedLogs')) {
    const orphan = orphanBeside(view, blocks)
    if (orphan) logs = logs.concat(asked(orphan))
  }
  if (logs.length > 0 && strikes('duplicatedLogs')) logs = [...logs, logs[0]!]
  if (strikes('disorderedLogs')) logs = logs.toReversed()
  return tellsBlockTime ? logs : logs.map(withoutTime)
}

function withoutTime(log: RpcLog): RpcLog {
  const copy = { ...log }
  delete copy.blockTimestamp
  return copy
}

/** Finds an orphaned block at the height of one of these blocks. */
function orphanBeside(
  view: ChainView,
  blocks: readonly ScriptedBlock[],
): ScriptedBlock | undefined {
  return view.chain
    .orphans()
    .find((orphan) => blocks.some(({ number }) => number === orphan.number))
}

/** Matches logs as nodes do: an empty list matches anything. */
export function isAsked(log: RpcLog, { address, topics = [] }: LogsQuery): boolean {
  const addresses = address === undefined ? [] : [address].flat()
  if (addresses.length > 0 && !addresses.some((one) => one.toLowerCase() === log.address))
    return false
  if (topics.length > log.topics.length) return false
  return topics.every((topic, place) => {
    const allowed = topic === null ? [] : [topic].flat()
    return allowed.length === 0 || allowed.includes(log.topics[place]!)
  })
}
