/**
 * Subscription of a chain event trigger, and its progress. Stored as JSON in the trigger's row. All functions in this
 * file are pure.
 */
import type { ChainConfig } from '../chain/chain-config.ts'
import type { ChainName } from '../../shared/config/chain-settings.ts'
import type { LearnedIndexed } from '../chain/decoding/learn-indexed.ts'
import type { Finality } from '../chain/finality.ts'
import type { LogDelivery, Subscription } from '../chain/subscription.ts'
import type { BackfillRecord } from '../../shared/wire/trigger.ts'

export type SubscriptionState = {
  chain: ChainName
  /** Previous chains, whose watchers still have to drop the trigger. */
  left: ChainName[]
  /** Number that increases each time the trigger starts. 0 before the first start. */
  generation: number
  /** First block of the live cursor. Null until the trigger starts with its current configuration. */
  since: number | null
  /**
   * First block whose contracts a trigger with a factory learns: its start block, or the first block after it started.
   * Absent in triggers that started before factories existed.
   */
  learnFrom?: number | null
  /** Block of the last log from the live cursor. Earlier blocks do not need to be delivered again. */
  toldAt: number | null
  backfill: BackfillRecord | null
  /** Highest block that can no longer be reorganized, as reported by the watcher. -1 before the first report. */
  settledThrough: number
  learned: LearnedIndexed | null
}

const NOT_STARTED = { since: null, learnFrom: null, toldAt: null, backfill: null, learned: null }

export function newSubscriptionState(chain: ChainName): SubscriptionState {
  return { ...NOT_STARTED, chain, left: [], generation: 0, settledThrough: -1 }
}

/** The progress under the earlier configuration is dropped. */
export function reconfigureSubscription(
  watch: SubscriptionState,
  chain: ChainName,
): SubscriptionState {
  if (chain === watch.chain) return { ...watch, ...NOT_STARTED }
  const left = [...watch.left, watch.chain].filter((former) => former !== chain)
  return { ...newSubscriptionState(chain), left, generation: watch.generation }
}

/**
 * Starts the subscription of a trigger that was enabled or reconfigured, after the head of the chain or at a later
 * start block. For a new configuration with an earlier start block, a backfill reads the blocks from the start block to
 * the head. Blocks from the time when the trigger was disabled are skipped. An unfinished backfill continues.
 */
export function startSubscription(
  watch: SubscriptionState,
  startBlock: number | null,
  head: number,
): SubscriptionState {
  const backfill = watch.since === null ? newBackfill(head, startBlock) : watch.backfill
  const since = Math.max(head + 1, startBlock ?? 0)
  const learnFrom = watch.since === null ? (startBlock ?? since) : (watch.learnFrom ?? since)
  return {
    ...watch,
    generation: watch.generation + 1,
    since,
    learnFrom,
    toldAt: null,
    backfill,
  }
}

function newBackfill(head: number, startBlock: number | null): BackfillRecord | null {
  if (startBlock === null || startBlock > head) return null
  return { from: startBlock, to: head, at: startBlock, done: false }
}

/** @param count number of accepted logs */
export function advanceSubscription(
  watch: SubscriptionState,
  delivery: LogDelivery,
  count: number,
): SubscriptionState {
  const { lane, logs, reorgedAbove, settledThrough = watch.settledThrough } = delivery
  const rewound = reorgedAbove === undefined ? watch : rewindSubscription(watch, reorgedAbove)
  const next = { ...rewound, settledThrough }
  const last = logs[count - 1]?.blockNumber
  if (lane === 'live') return last === undefined ? next : { ...next, toldAt: last }
  return { ...next, backfill: next.backfill && advanceBackfill(next.backfill, delivery, count) }
}

/** The blocks above `above` were replaced and will be delivered again. */
function rewindSubscription(watch: SubscriptionState, above: number): SubscriptionState {
  const { toldAt, backfill } = watch
  const lower = (block: number) => Math.min(block, above + 1)
  return {
    ...watch,
    toldAt: toldAt === null ? null : lower(toldAt),
    backfill: backfill && !backfill.done ? { ...backfill, at: lower(backfill.at) } : backfill,
  }
}

/** If some logs of a block were rejected, the block is delivered again, and the accepted logs are deduplicated. */
function advanceBackfill(
  backfill: BackfillRecord,
  delivery: LogDelivery,
  count: number,
): BackfillRecord {
  const { logs, backfillAt } = delivery
  const { to } = backfill
  const reached = (block: number) => ({
    ...backfill,
    at: Math.min(Math.max(backfill.at, block), to),
  })
  if (count < logs.length) return reached(logs[count]!.blockNumber)
  if (backfillAt === null) return { ...backfill, at: to + 1, done: true }
  return reached(backfillAt ?? logs.at(-1)?.blockNumber ?? backfill.at)
}

/** @returns `undefined` if the trigger has not started */
export function subscriptionOf(
  trigger: { triggerId: string; version: number },
  watch: SubscriptionState,
  { filter }: Pick<ChainConfig, 'filter'>,
  finality: Finality,
): Subscription | undefined {
  const { since, toldAt, generation, backfill } = watch
  if (since === null) return undefined
  const remainingBackfill =
    backfill && !backfill.done ? { from: backfill.at, to: backfill.to } : null
  const { triggerId, version } = trigger
  const from = Math.max(since, toldAt ?? 0)
  return {
    triggerId,
    version,
    generation,
    filter,
    finality,
    since: from,
    backfill: remainingBackfill,
    ...(filter.factory && { learnFrom: watch.learnFrom ?? since }),
  }
}
