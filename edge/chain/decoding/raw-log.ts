import type { ChainLog } from '../chain-log.ts'

/** As in `eth_getLogs`: quantities are 0x hex without leading zeros (execution-apis, `Log`). */
export type RawLog = {
  address: string
  topics: readonly string[]
  data: string
  blockNumber: string
  blockHash: string
  blockTimestamp: string
  transactionHash: string
  transactionIndex: string
  logIndex: string
  removed: false
}

export function rawLog(log: ChainLog): RawLog {
  return {
    address: log.address,
    topics: log.topics,
    data: log.data,
    blockNumber: quantity(log.blockNumber),
    blockHash: log.blockHash,
    blockTimestamp: quantity(log.blockTimestamp),
    transactionHash: log.transactionHash,
    transactionIndex: quantity(log.transactionIndex),
    logIndex: quantity(log.logIndex),
    removed: false,
  }
}

const quantity = (number: number) => `0x${number.toString(16)}`
