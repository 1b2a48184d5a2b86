import { TriggerRejectedError } from '../triggers/trigger-rejected-error.ts'
import { CHAIN_NAMES, type ChainName } from '../../shared/config/chain-settings.ts'
import { readFactory } from './factory/read-factory.ts'
import type { LogFilter } from './matching/log-filter.ts'
import type { EventSignature } from './signature/event-signature.ts'
import { parseEventSignature } from './signature/parse-event-signature.ts'
import { EventSignatureError } from './signature/event-signature-error.ts'
import { readWhere } from './where/read-where.ts'
import { withConditions } from './where/with-conditions.ts'
import { readAddresses } from './read-addresses.ts'
import { readTopicFilters } from './topic-filters.ts'

export type ChainEventConfig = {
  chain: ChainName
  /** Event signature as the trigger's owner wrote it. */
  signatureText: string
  signature: EventSignature
  filter: LogFilter
  startBlock: number | null
}

const KEYS = [
  'chain',
  'contract_address',
  'addresses',
  'factory',
  'event_signature',
  'start_block',
  'topic_filters',
  'where',
]

/** @throws {TriggerRejectedError} if a key is invalid; the error names the first such key */
export function readChainEventConfig(config: Record<string, unknown>): ChainEventConfig {
  for (const key of Object.keys(config))
    if (!KEYS.includes(key))
      refuse(key.slice(0, 64), 'unknown field', `A chain_event has ${KEYS.join(', ')}.`)
  const chain = readChain(config.chain)
  const contracts = readContracts(config)
  if ('problem' in contracts) throw new TriggerRejectedError({ reason: 'field', ...contracts })
  const signature = readSignature(config.event_signature)
  const startBlock = readStartBlock(config.start_block)
  const topics = readTopicFilters(config.topic_filters, signature)
  if ('problem' in topics) throw new TriggerRejectedError({ reason: 'field', ...topics })
  const where = readWhere(config.where, signature)
  if ('problem' in where) throw new TriggerRejectedError({ reason: 'field', ...where })
  return {
    chain,
    signatureText: String(config.event_signature),
    signature,
    filter: withConditions({ ...contracts, topic0: signature.topic0, topics }, where, signature),
    startBlock,
  }
}

function readContracts(
  config: Record<string, unknown>,
):
  | Pick<LogFilter, 'address' | 'addresses' | 'factory'>
  | { field: string; problem: string; fix: string } {
  if (config.factory === undefined || config.factory === null) return readAddresses(config)
  const factory = readFactory(config)
  return 'problem' in factory ? factory : { address: null, factory }
}

/** @throws {TriggerRejectedError} */
export function readChain(chain: unknown): ChainName {
  const known = CHAIN_NAMES.find((name) => name === chain)
  if (known !== undefined) return known
  const problem = chain === undefined ? 'required' : 'unknown chain'
  return refuse('chain', problem, `Send one of ${CHAIN_NAMES.join(', ')}.`)
}

function readSignature(text: unknown): EventSignature {
  const fix =
    'Send the event as its contract declares it, such as Transfer(address,address,uint256).'
  if (text === undefined) return refuse('event_signature', 'required', fix)
  if (typeof text !== 'string') return refuse('event_signature', 'expected a string', fix)
  try {
    return parseEventSignature(text)
  } catch (error) {
    if (!(error instanceof EventSignatureError)) throw error
    const { position, problem } = error
    const better = `${error.fix[0]!.toUpperCase()}${error.fix.slice(1)}.`
    return refuse('event_signature', `at position ${position}: ${problem}`, better)
  }
}

function refuse(key: string, problem: string, fix: string): never {
  throw new TriggerRejectedError({ reason: 'field', field: `config.${key}`, problem, fix })
}

const START_BLOCK_FIX =
  'Send a block number: an integer, a string of decimal digits, or 0x and hex digits. Omit it to start at the head.'

/**
 * Returns null if no start block is set.
 * @throws {TriggerRejectedError}
 */
export function readStartBlock(block: unknown): number | null {
  if (block === undefined || block === null) return null
  const isText = typeof block === 'string' && /^([0-9]{1,32}|0x[0-9a-fA-F]{1,32})$/.test(block)
  if (typeof block !== 'number' && !isText)
    return refuse(
      'start_block',
      'expected an integer, or a string of decimal or hex digits',
      START_BLOCK_FIX,
    )
  const number = Number(block)
  if (!Number.isInteger(number) || number < 0)
    refuse('start_block', 'expected a non-negative integer', START_BLOCK_FIX)
  if (!Number.isSafeInteger(number))
    refuse('start_block', 'too large for a block number', START_BLOCK_FIX)
  return number
}
