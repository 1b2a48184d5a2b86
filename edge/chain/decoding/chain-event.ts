import type { ChainEventLog } from '../../../shared/action/chain-event.ts'
import type { ChainLog } from '../chain-log.ts'
import type { ChainName } from '../../../shared/config/chain-settings.ts'
import type { EventSignature } from '../signature/event-signature.ts'
import { checksummedAddress } from './checksummed-address.ts'
import type { DecodedLog, DecodePlan } from './decoded-log.ts'
import { decodeLog } from './decode-log.ts'
import { encodeQuantity } from '../../../shared/rpc/quantities.ts'

/** The `event` member of the params that an action receives, as JSON (`docs/chain-events.md`). */
export type ChainEvent = DecodedLog & ChainEventLog

type ChainEventSource = {
  chain: ChainName
  chainId: number
  signatureText: string
  signature: EventSignature
  log: ChainLog
  /** Decoding plan that was chosen when the run was created. */
  plan: DecodePlan
}

/**
 * Converts a log to the event that an action receives. Never throws: a log that cannot be decoded becomes `raw`, with
 * its topics and data.
 */
export function toChainEvent(source: ChainEventSource): ChainEvent {
  const { chain, chainId, signatureText, signature, log, plan } = source
  return {
    chain,
    chain_id: chainId,
    contract_address: checksummedAddress(log.address),
    event_signature: signatureText,
    topic0: signature.topic0,
    topics: log.topics,
    data: log.data,
    ...decodeLog(signature, log, plan),
    block_number: log.blockNumber,
    block_hash: log.blockHash,
    block_timestamp: log.blockTimestamp,
    transaction_hash: log.transactionHash,
    transaction_index: log.transactionIndex,
    log_index: log.logIndex,
    raw_log: rawLog(log),
    removed: false,
  }
}

/** Quantities are 0x hex without leading zeros (execution-apis, `Log`). */
function rawLog(log: ChainLog): ChainEventLog['raw_log'] {
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
