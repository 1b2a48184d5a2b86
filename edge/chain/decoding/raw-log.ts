import type { ChainLog } from '../chain-log.ts'
import { encodeQuantity } from '../rpc/quantities.ts'

/** A log in the format of `eth_getLogs`: quantities are 0x hex without leading zeros (execution-apis, `Log`). */
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
    blockNumber: encodeQuantity(log.blockNumber),
    blockHash: log.blockHash,
    blockTimestamp: encodeQuantity(log.blockTimestamp),
    transactionHash: log.transactionHash,
    transactionIndex: encodeQuantity(log.transactionIndex),
    logIndex: encodeQuantity(log.logIndex),
    removed: false,
  }
}
