/**
 * The subscription of a chain event with its chain's watcher, and its progress, stored as JSON in the trigger's row.
 * The functions here are pure.
 */
import type { ChainConfig } from '../chain/chain-config.ts'
import type { ChainName } from '../chain/chain-settings.ts'
import type { LearnedIndexed } from '../chain/decoding/learn-indexed.ts'
import type { Finality } from '../chain/finality.ts'
import type { LogDelivery, Subscription } from '../chain/subscription.ts'
import type { BackfillRecord } from '../../shared/wire/trigger.ts'

export type Watch = {
  chain: ChainName
  /** Former chains of the trigger. Their watchers still have to drop it. */
  left: ChainName[]
  /** Grows each time the trigger starts; 0 before that. */
  generation: number
  /** The first block of the live cursor; `null` until the trigger starts with this configuration. */
  since: number | null
  /** The block of the last log from the live cursor. Blocks before it need not be delivered again. */
  toldAt: number | null
  backfill: BackfillRecord | null
  /** Blocks up to this one cannot be reorganized, as reported by the watcher; -1 before its first report. */
  settledThrough: number
  /** The indexed arguments, as inferred from the logs so far. */
  learned: LearnedIndexed | null
}

const UNBEGUN = { since: null, toldAt: null, backfill: null, learned: null }

/** Returns the subscription of a new trigger that has not started. */
export function newWatch(chain: ChainName): Watch {
  return { ...UNBEGUN, chain, left: [], generation: 0, settledThrough: -1 }
}

/** Applies another configuration, and drops the pending blocks of the earlier one. */
export function reconfigured(watch: Watch, chain: ChainName): Watch {
  if (chain === watch.chain) return { ...watch, ...UNBEGUN }
  const left = [...watch.left, watch.chain].filter((former) => former !== chain)
  return { ...newWatch(chain), left, generation: watch.generation }
}

/**
 * Starts the subscription with a new configuration, or after the trigger was enabled: after the head, or at the start
 * block. Blocks from the time when it was disabled are skipped. An unfinished backfill continues.
 * @param head the chain's latest block
 */
export function begun(watch: Watch, startBlock: number | null, head: number): Watch {
  const backfill = watch.since === null ? backfillTo(head, startBlock) : watch.backfill
  const since = Math.max(head + 1, startBlock ?? 0)
  return { ...watch, generation: watch.generation + 1, since, toldAt: null, backfill }
}

function backfillTo(head: number, startBlock: number | null): BackfillRecord | null {
  if (startBlock === null || startBlock > head) return null
  return { from: startBlock, to: head, at: startBlock, done: false }
}

/**
 * Returns the state after a delivery.
 * @param count the number of accepted logs
 */
export function advanced(watch: Watch, delivery: LogDelivery, count: number): Watch {
  const { lane, logs, reorgedAbove, settledThrough = watch.settledThrough } = delivery
  const back = reorgedAbove === undefined ? watch : takenBack(watch, reorgedAbove)
  const told = { ...back, settledThrough }
  const last = logs[count - 1]?.blockNumber
  if (lane === 'live') return last === undefined ? told : { ...told, toldAt: last }
  return { ...told, backfill: told.backfill && backfilled(told.backfill, delivery, count) }
}

/** Moves the progress back, because the blocks above this one were replaced and will be delivered again. */
function takenBack(watch: Watch, above: number): Watch {
  const { toldAt, backfill } = watch
  const lower = (block: number) => Math.min(block, above + 1)
  return {
    ...watch,
    toldAt: toldAt === null ? null : lower(toldAt),
    backfill: backfill && !backfill.done ? { ...backfill, at: lower(backfill.at) } : backfill,
  }
}

/**
 * Advances the backfill. A block with rejected logs is delivered again, and its accepted logs are then deduplicated.
 */
function backfilled(
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

/**
 * Returns the subscription to send to the watcher.
 * @returns `undefined` if the trigger has not started
 */
export function subscriptionOf(
  trigger: { triggerId: string; version: number },
  watch: Watch,
  { filter }: ChainConfig,
  finality: Finality,
): Subscription | undefined {
  const { since, toldAt, generation, backfill } = watch
  if (since === null) return undefined
  const owed = backfill && !backfill.done ? { from: backfill.at, to: backfill.to } : null
  const { triggerId, version } = trigger
  const from = Math.max(since, toldAt ?? 0)
  return { triggerId, version, generation, filter, finality, since: from, backfill: owed }
}
