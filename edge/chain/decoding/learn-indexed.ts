import { keccak_256 } from '@noble/hashes/sha3.js'
import { encodeHex } from '../../../shared/hex.ts'
import type { EventSignature } from '../signature/event-signature.ts'
import type { LogValues } from './decode-log.ts'
import { ranked, type Reading, readingsOf } from './infer-indexed.ts'

/** What the logs of one contract and signature have shown: which arguments are in the topics. JSON. */
export type LearnedIndexed = {
  /** Indexed arguments of the logs that it was learned from. */
  count: number
  indexed: readonly number[]
  /** No other choice is nearly as likely: logs to come are decoded like these. */
  confident: boolean
  /** The readings that fit all of the logs, with the bits of all, the fewest first. To go on with. */
  readings: readonly Reading[]
  /** Digests of the logs that it was learned from: a log that comes again says nothing new. */
  seen: readonly string[]
}

/** The best of all readings is right where it leads the next by this, in every case that was measured. */
const CONFIDENT_BITS = 10

/** Readings that are kept to go on with: those behind them are out of question. */
const READINGS_MAX = 16

/** What so many different logs leave open, more will not decide. */
const LOGS_MAX = 64

/**
 * Learns from logs together what each by itself leaves open. Equal logs count once.
 * @param before what the logs before these have shown
 * @returns `undefined` while nothing can be said: no log leaves a choice, or no reading fits all of them
 */
export function learnIndexed(
  signature: EventSignature,
  logs: readonly LogValues[],
  before?: LearnedIndexed,
): LearnedIndexed | undefined {
  const count = before?.count ?? firstCount(signature, logs)
  if (count === undefined) return undefined
  const seen = new Set(before?.seen)
  let readings = before?.readings
  for (const log of logs) {
    if (log.topics[0] !== signature.topic0 || log.topics.length - 1 !== count) continue
    const digest = digestOf(log)
    if (seen.has(digest) || seen.size === LOGS_MAX) continue
    seen.add(digest)
    const found = readingsOf(signature, log)
    // A log that fits nothing, or too much, says nothing.
    if (found && found.length > 0) readings = readings ? both(readings, found) : found
  }
  const [best, next] = ranked(signature, readings ?? [])
  if (!best) return undefined
  return {
    count,
    indexed: best.indexed,
    confident: next === undefined || next.bits - best.bits >= CONFIDENT_BITS,
    readings: readings!.toSorted((a, b) => a.bits - b.bits).slice(0, READINGS_MAX),
    seen: [...seen],
  }
}

/** What was learned for logs of so many indexed arguments, if it can be relied on. */
export function learned(
  found: LearnedIndexed | undefined,
  count: number,
): readonly number[] | undefined {
  return found?.confident && found.count === count ? found.indexed : undefined
}

/** Eight bytes: who makes two logs of one digest makes one of them say nothing. */
function digestOf({ topics, data }: LogValues): string {
  const text = new TextEncoder().encode([...topics, data].join())
  return encodeHex(keccak_256(text).subarray(0, 8))
}

function firstCount(
  { inputs, topic0 }: EventSignature,
  logs: readonly LogValues[],
): number | undefined {
  const open = logs.find(({ topics }) => {
    const count = topics.length - 1
    return topics[0] === topic0 && count > 0 && count < inputs.length
  })
  return open && open.topics.length - 1
}

/** Readings that fit two sets of logs. */
function both(some: readonly Reading[], others: readonly Reading[]): Reading[] {
  const bits = new Map(others.map((reading) => [reading.indexed.join(), reading.bits]))
  return some.flatMap((reading) => {
    const more = bits.get(reading.indexed.join())
    return more === undefined ? [] : [{ indexed: reading.indexed, bits: reading.bits + more }]
  })
}
