import { bloomOf, keccakOf } from './bloom.ts'

/** Log content; hex in lower case. */
export type ScriptedLog = { address: string; topics: readonly string[]; data: string }

/** A transaction keeps its hash in whichever block it is mined, even if its logs or its outcome change. */
export type ScriptedTransaction = {
  hash: string
  logs: readonly ScriptedLog[]
} & Partial<TransactionDetails>

/** Hex in lower case; `value` and `gasUsed` are quantities. */
export type TransactionDetails = {
  from: string
  /** Null creates a contract. */
  to: string | null
  value: string
  input: string
  /** Null in receipts without a status. */
  isSuccess: boolean | null
  gasUsed: string
}

/** Details that the test did not choose are made from the hash. Only a transaction without logs is reverted. */
export function detailsOf(transaction: ScriptedTransaction): TransactionDetails {
  const digit = (at: number) => Number.parseInt(transaction.hash[at]!, 16)
  const { hash, logs, ...chosen } = transaction
  return {
    from: PARTIES[digit(2) % 4]!,
    to: digit(3) === 0 ? null : PARTIES[digit(4) % 4]!,
    value: quantity(digit(5)),
    input: digit(6) < 4 ? '0x' : `0x0000000${digit(6) % 3}${hash.slice(8, 16)}`,
    isSuccess: logs.length > 0 || digit(7) < 10,
    gasUsed: quantity(21_000 + digit(8)),
    ...chosen,
  }
}

/** Parties of transactions for which a test chose none. */
export const PARTIES = [1, 2, 3, 4].map((party) => `0x${'0'.repeat(38)}c${party}`)

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
