import type { PreviewRequest, TriggerPreview } from '../../../shared/wire/preview.ts'
import { blockMark } from '../../chain/block-mark.ts'
import type { BlockIntervalConfig } from '../../chain/block-interval-config.ts'
import { isOnBlocks, isOnLogs, readChainConfig } from '../../chain/chain-config.ts'
import type { ChainLog } from '../../chain/chain-log.ts'
import type { ChainName, Chains } from '../../../shared/config/chain-settings.ts'
import { toBlockEvent } from '../../chain/decoding/block-event.ts'
import { toTransactionEvent } from '../../chain/decoding/transaction-event.ts'
import { toChainEvent } from '../../chain/decoding/chain-event.ts'
import { learnIndexed } from '../../chain/decoding/learn-indexed.ts'
import { planDecoding } from '../../chain/decoding/plan-decoding.ts'
import { ZERO_WORD } from '../../chain/decoding/sample-data.ts'
import { resolveFinality } from '../../chain/finality.ts'
import type { TransactionsConfig } from '../../chain/transactions-config.ts'
import type { BlockRange } from '../../chain/subscription.ts'
import type { Watcher } from '../../chain/watch/watcher.ts'
import { TriggerRejectedError } from '../trigger-rejected-error.ts'
import { TriggerChainUnavailableError } from '../chain-head.ts'
import { exampleLog } from './example-log.ts'
import { exampleTransaction } from './example-transaction.ts'
import { chainPreviewWarnings } from './preview-warnings.ts'

/** Too many previews of the same chain are in progress. */
export class PreviewBusyError extends Error {
  override name = 'PreviewBusyError'
  readonly retryAfterS: number
  constructor(retryAfterS: number) {
    super('too many previews of this chain are in progress')
    this.retryAfterS = retryAfterS
  }
}

export type ChainPreviewOptions = {
  now: number
  chains: Chains
  watcherOf: (chain: ChainName) => Pick<Watcher, 'recent' | 'contractAt'>
}

/** Number of logs in a preview. Five are enough to recognize the right event, and one request decodes them all. */
const LOGS_SHOWN = 5

/**
 * Returns the most recent logs, blocks or transactions that would have fired the trigger, in the form that its action
 * would receive, with warnings.
 * @throws {TriggerRejectedError} if the chain does not support the finality
 * @throws {TriggerChainUnavailableError} if no node of the chain responds
 * @throws {PreviewBusyError} if too many previews of the chain are in progress
 */
export async function previewChainEvent(
  { config, default_params, options }: PreviewRequest,
  { chains, watcherOf, now }: ChainPreviewOptions,
): Promise<TriggerPreview> {
  const read = readChainConfig(config)
  const settings = chains[read.chain]
  if (!settings) throw new Error('validation accepted a chain that is not configured')
  const watcher = watcherOf(read.chain)
  const finality = resolveFinality(options, settings.finality)
  const found = await watcher.recent(read.filter, finality, LOGS_SHOWN)
  if (found.state === 'away') throw new TriggerChainUnavailableError(read.chain)
  if (found.state === 'busy') throw new PreviewBusyError(found.retryAfterS)
  if (found.state === 'no_such_finality')
    throw new TriggerRejectedError({
      reason: found.state,
      chain: read.chain,
      finality: String(finality),
    })
  const { logs, searched } = found
  const { chainId } = settings
  const context = { default_params, chainId, now }
  if (isOnBlocks(read)) return blockPreview(read, context, logs, searched)
  if (!isOnLogs(read)) return transactionPreview(read, context, logs, searched)
  const source = { ...read, chainId }
  const learned = learnIndexed(read.signature, logs)
  const events = logs.map((log) =>
    toChainEvent({ ...source, log, plan: planDecoding(read.signature, log, learned) }),
  )
  const { address } = read.filter
  const contract =
    logs.length > 0 || address === null ? undefined : await watcher.contractAt(address, searched)
  const example = exampleLog(read, searched.to, Math.floor(now / 1000))
  return {
    canonical_signature: read.signature.canonical,
    topic0: read.signature.topic0,
    logs: events,
    searched,
    warnings: chainPreviewWarnings(read, events, contract),
    params: {
      ...default_params,
      source: 'chain_event',
      event: events[0] ?? toChainEvent({ ...source, ...example }),
    },
  }
}

type MarkContext = Pick<PreviewRequest, 'default_params'> & { chainId: number; now: number }

/** If the chain has no matching block yet, the params show the first one. */
function blockPreview(
  { chain, filter: { every } }: BlockIntervalConfig,
  { default_params, chainId, now }: MarkContext,
  marks: readonly ChainLog[],
  searched: BlockRange,
): TriggerPreview {
  const eventOf = (mark: ChainLog) => toBlockEvent({ chain, chainId, every, mark })
  const example = blockMark({
    number: every,
    hash: `0x${ZERO_WORD}`,
    timestamp: Math.floor(now / 1000),
  })
  return {
    logs: marks.map(eventOf),
    searched,
    warnings: [],
    params: { ...default_params, source: 'chain_event', event: eventOf(marks[0] ?? example) },
  }
}

/** If no matching transaction was found, the params show an example. */
function transactionPreview(
  { chain, filter }: TransactionsConfig,
  { default_params, chainId, now }: MarkContext,
  marks: readonly ChainLog[],
  searched: BlockRange,
): TriggerPreview {
  const eventOf = (mark: ChainLog) => toTransactionEvent({ chain, chainId, mark })
  const example = exampleTransaction(filter, searched.to, Math.floor(now / 1000))
  return {
    logs: marks.map(eventOf),
    searched,
    warnings: [],
    params: { ...default_params, source: 'chain_event', event: eventOf(marks[0] ?? example) },
  }
}
