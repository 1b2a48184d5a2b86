import { bloomOf, keccakOf } from './bloom.ts'

/** Log content; hex in lower case. */
export type ScriptedLog = { address: string; topics: readonly string[]; data: string }

/** A transaction keeps its hash in whichever block it is mined, even if its logs change. */
export type ScriptedTransaction = { hash: string; logs: readonly ScriptedLog[] }

/** A log in the format of `eth_getLogs`. */
export type RpcLog = {
  address: string
  topics: readonly string[]
  data: string
  blockNumber: string
  blockHash: string
  blockTimestamp?: string
  transactionHash: string
  transactionIndex: string
  logIndex: string
  removed: boolean
}

export type ScriptedBlock = {
  number: number
  hash: string
  parentHash: string
  /** Unix seconds. */
  timestamp: number
  logsBloom: string
  transactions: readonly ScriptedTransaction[]
  logs: readonly RpcLog[]
}

/** @param salt makes blocks with equal contents distinct */
export function makeBlock(
  contents: {
    number: number
    parentHash: string
    timestamp: number
    transactions: readonly ScriptedTransaction[]
  },
  salt: string,
): ScriptedBlock {
  const { number, transactions } = contents
  const hash = keccakOf(JSON.stringify([contents, salt]))
  const logs = transactions.flatMap((transaction, index) =>
    transaction.logs.map((log) => ({ log, index, transactionHash: transaction.hash })),
  )
  return {
    ...contents,
    hash,
    logsBloom: bloomOf(logs.flatMap(({ log }) => [log.address, ...log.topics])),
    logs: logs.map(({ log, index, transactionHash }, logIndex) => ({
      address: log.address,
      topics: log.topics,
      data: log.data,
      blockNumber: quantity(number),
      blockHash: hash,
      blockTimestamp: quantity(contents.timestamp),
      transactionHash,
      transactionIndex: quantity(index),
      logIndex: quantity(logIndex),
      removed: false,
    })),
  }
}

export function quantity(value: number): string {
  return `0x${value.toString(16)}`
}
