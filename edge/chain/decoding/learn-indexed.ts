import { keccak_256 } from '@noble/hashes/sha3.js'
import { encodeHex } from '../../../shared/hex.ts'
import type { EventSignature } from '../signature/event-signature.ts'
import type { LogValues } from './decode-log.ts'
import { ranked, type Reading, readingsOf } from './infer-indexed.ts'

/** What the logs of one contract and signature have shown: which arguments are in the topics. Kept as JSON. */
export type LearnedIndexed = {
  /** Indexed arguments of the logs that it was learned from. */
  count: number
  /** The best guess. */
  indexed: readonly number[]
  /** The guess leads the next reading by far: logs to come are decoded like it wherever it fits. */
  confident: boolean
  /** Readings that fit all of the logs, with the bits of all, the fewest first. */
  readings: readonly Reading[]
  /** `readings` has every one that fits. Absent in states stored before it was recorded. */
  isComplete?: boolean
  /** Digests of the logs that it was learned from: a repeated log shows nothing new. */
  seen: readonly string[]
}

/** In every case that was measured, the best of all readings was right if it led the next one by this. */
const CONFIDENT_BITS = 10

/** Every choice of one to three arguments of seven; more are cut to this, and then never decide. */
const READINGS_MAX = 64

/** More logs do not decide what this many different ones leave open. */
const LOGS_MAX = 64

/**
 * Learns from several logs what each of them leaves open. Equal logs count once.
 * @param before what earlier logs have shown
 * @returns `undefined` if no log leaves a choice, or no reading fits all of them
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
  let isComplete = before ? before.isComplete === true : true
  for (const log of logs) {
    if (log.topics[0] !== signature.topic0 || log.topics.length - 1 !== count) continue
    const digest = digestOf(log)
    if (seen.has(digest) || seen.size === LOGS_MAX) continue
    seen.add(digest)
    const found = readingsOf(signature, log)
    // A log that fits nothing, or too much, shows nothing.
    if (found && found.length > 0) readings = readings ? both(readings, found) : found
  }
  const [best, next] = ranked(signature, readings ?? [])
  if (!best) return undefined
  if (readings!.length > READINGS_MAX) isComplete = false
  return {
    count,
    indexed: best.indexed,
    confident: next === undefined || next.bits - best.bits >= CONFIDENT_BITS,
    readings: readings!.toSorted((a, b) => a.bits - b.bits).slice(0, READINGS_MAX),
    isComplete,
    seen: [...seen],
  }
}

/** The guess that logs with this many indexed arguments are decoded by, if it is confident. */
export function learnedGuess(
  found: LearnedIndexed | undefined,
  count: number,
): readonly number[] | undefined {
  return found?.confident && found.count === count ? found.indexed : undefined
}

/** Those of a log's readings that fit the logs before it, too; all of them if it contradicts those logs. */
export function narrowed(
  readings: readonly Reading[],
  found: LearnedIndexed | undefined,
  count: number,
): readonly Reading[] {
  if (!found?.isComplete || found.count !== count) return readings
  const shown = new Set(found.readings.map(({ indexed }) => indexed.join()))
  const shared = readings.filter(({ indexed }) => shown.has(indexed.join()))
  return shared.length > 0 ? shared : readings
}

/** Whether further logs can show anything. */
export function isSettled({ isComplete, readings, seen }: LearnedIndexed): boolean {
  return seen.length >= LOGS_MAX || (isComplete === true && readings.length === 1)
}

/** Eight bytes: a forged collision only makes one log show nothing. */
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

/** Readings that are in both, with the bits of both. */
function both(some: readonly Reading[], others: readonly Reading[]): Reading[] {
  const bits = new Map(others.map((reading) => [reading.indexed.join(), reading.bits]))
  return some.flatMap((reading) => {
    const more = bits.get(reading.indexed.join())
    return more === undefined ? [] : [{ indexed: reading.indexed, bits: reading.bits + more }]
  })
}
