import { keccak_256 } from '@noble/hashes/sha3.js'
import { encodeHex } from '../../../shared/hex.ts'
import type { EventSignature } from '../signature/event-signature.ts'
import type { LogValues } from './decode-log.ts'
import { ranked, type Reading, readingsOf } from './infer-indexed.ts'

/** Evidence from the logs of one contract and signature about which arguments are indexed. Stored as JSON. */
export type LearnedIndexed = {
  /** Number of indexed arguments in these logs. */
  count: number
  /** The best guess. */
  indexed: readonly number[]
  /** True if the best guess is far ahead of the next reading. Later logs are then decoded with it if it fits. */
  confident: boolean
  /** Readings that fit all of the logs, sorted by their total bits, fewest first. */
  readings: readonly Reading[]
  /** True if `readings` is exhaustive. Absent in state stored before this field existed. */
  isComplete?: boolean
  /** Digests of the logs that were used, so that a repeated log does not count twice. */
  seen: readonly string[]
}

/** In all measured cases, the best reading was right if it led the next one by this much. */
const CONFIDENT_BITS = 10

/**
 * Enough for every choice of one to three out of seven arguments. Longer lists are truncated, and then never decide.
 */
const READINGS_MAX = 64

/** If this many distinct logs leave a choice open, further logs do not decide it. */
const LOGS_MAX = 64

/**
 * Combines what several logs show about their indexed arguments. Equal logs count once.
 * @param before result of earlier logs
 * @returns undefined if no log leaves a choice, or no reading fits all of them
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
    // A log that no reading fits, or that has too many to try, adds no information.
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

export function learnedGuess(
  found: LearnedIndexed | undefined,
  count: number,
): readonly number[] | undefined {
  return found?.confident && found.count === count ? found.indexed : undefined
}

/** Keeps the readings that also fit earlier logs, or all of them if the log contradicts the earlier ones. */
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

export function isSettled({ isComplete, readings, seen }: LearnedIndexed): boolean {
  return seen.length >= LOGS_MAX || (isComplete === true && readings.length === 1)
}

/** Eight bytes suffice: a forged collision only causes one log to be ignored. */
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

/** Intersects two lists of readings and adds up their bits. */
function both(some: readonly Reading[], others: readonly Reading[]): Reading[] {
  const bits = new Map(others.map((reading) => [reading.indexed.join(), reading.bits]))
  return some.flatMap((reading) => {
    const more = bits.get(reading.indexed.join())
    return more === undefined ? [] : [{ indexed: reading.indexed, bits: reading.bits + more }]
  })
}
