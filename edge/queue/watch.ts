/**
 * What a chain event asks of the watcher of its chain, and how far it has been told: kept as JSON in its row. The
 * functions here say what it becomes; none of them changes what it is given.
 */
import type { ChainConfig } from '../chain/chain-config.ts'
import type { ChainName } from '../chain/chain-settings.ts'
import type { LearnedIndexed } from '../chain/decoding/learn-indexed.ts'
import type { Finality } from '../chain/finality.ts'
import type { LogDelivery, Subscription } from '../chain/subscription.ts'
import type { BackfillRecord } from '../../shared/wire/trigger.ts'

export type Watch = {
  chain: ChainName
  /** Chains that it was of before, whose watchers have to be told that it is no more. */
  left: ChainName[]
  /** Rises whenever it begins; 0 before that. */
  generation: number
  /** The first block of the live lane; `null` until it begins under its configuration. */
  since: number | null
  /** The block of the last log that the live lane brought: blocks before it are not owed any more. */
  toldAt: number | null
  backfill: BackfillRecord | null
  /** Blocks up to this one stay for good, as far as the watcher has said; -1: it has said nothing. */
  settledThrough: number
  /** What the logs so far say of which arguments are indexed. */
  learned: LearnedIndexed | null
}

const UNBEGUN = { since: null, toldAt: null, backfill: null, learned: null }

/** Of a new trigger that has not begun. */
export function newWatch(chain: ChainName): Watch {
  return { ...UNBEGUN, chain, left: [], generation: 0, settledThrough: -1 }
}

/** With another configuration: what was owed under the earlier one is not owed any more. */
export function reconfigured(watch: Watch, chain: ChainName): Watch {
  if (chain === watch.chain) return { ...watch, ...UNBEGUN }
  const left = [...watch.left, watch.chain].filter((former) => former !== chain)
  return { ...newWatch(chain), left, generation: watch.generation }
}

/**
 * Begins, under a new configuration or enabled again: from now on, or from the start block. Of the time while it was
 * disabled nothing is owed; a backfill that had not ended goes on where it was.
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
 * After a delivery.
 * @param count how many of its logs were taken
 */
export function advanced(watch: Watch, delivery: LogDelivery, count: number): Watch {
  const { lane, logs, reorgedAbove, settledThrough = watch.settledThrough } = delivery
  const back = reorgedAbove === undefined ? watch : takenBack(watch, reorgedAbove)
  const told = { ...back, settledThrough }
  const last = logs[count - 1]?.blockNumber
  if (lane === 'live') return last === undefined ? told : { ...told, toldAt: last }
  return { ...told, backfill: told.backfill && backfilled(told.backfill, delivery, count) }
}

/** Blocks above this one are others now, and are told of again. */
function takenBack(watch: Watch, above: number): Watch {
  const { toldAt, backfill } = watch
  const lower = (block: number) => Math.min(block, above + 1)
  return {
    ...watch,
    toldAt: toldAt === null ? null : lower(toldAt),
    backfill: backfill && !backfill.done ? { ...backfill, at: lower(backfill.at) } : backfill,
  }
}

/** A block of which some logs were not taken is told of again; those of it that were taken are known then. */
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

/** What its watcher is asked for. @returns `undefined` for one that has not begun */
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
