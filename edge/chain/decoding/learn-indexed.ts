import { keccak_256 } from '@noble/hashes/sha3.js'
import { encodeHex } from '../../../shared/encoding/hex.ts'
import type { EventSignature } from '../signature/event-signature.ts'
import type { LogValues } from './decode-log.ts'
import { rankReadings, type ScoredReading, scoreReadings } from './score-readings.ts'

/** Evidence about the indexed arguments of an event, from earlier logs of one contract. Stored as JSON. */
export type LearnedIndexed = {
  count: number
  /** Best guess of the indexed arguments, as ascending positions. */
  indexed: readonly number[]
  /** Later logs that fit the best guess are then decoded with it. */
  confident: boolean
  /** Choices that fit all of the logs, the most likely first. */
  readings: readonly ScoredReading[]
  /** True if `readings` contains every choice that fits. Absent if the state was stored before this field existed. */
  isComplete?: boolean
  /** Digests of the logs that were counted, so that a repeated log is not counted twice. */
  seen: readonly string[]
}

/**
 * Minimum lead of the best choice over the next one. In all measured cases, a best choice with this lead was correct.
 */
const CONFIDENT_BITS = 10

/**
 * Maximum number of stored choices. It is enough for every choice of one to three out of seven arguments. A truncated
 * list is never used to exclude choices.
 */
const READINGS_MAX = 64

/** Maximum number of distinct logs to evaluate. If they leave several choices open, further logs do not help. */
const LOGS_MAX = 64

/**
 * Narrows down the indexed arguments of an event from several logs. Equal logs count once.
 * @returns undefined if all logs are unambiguous, or if no choice fits all of the logs
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
    const found = scoreReadings(signature, log)
    // Ignores a log that provides no information, because no choice fits it or there are too many choices to try.
    if (found && found.length > 0) readings = readings ? intersectReadings(readings, found) : found
  }
  const [best, next] = rankReadings(signature, readings ?? [])
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

/** Returns the choices that also fit earlier logs, or all choices if the log contradicts the earlier ones. */
export function narrowReadings(
  readings: readonly ScoredReading[],
  found: LearnedIndexed | undefined,
  count: number,
): readonly ScoredReading[] {
  if (!found?.isComplete || found.count !== count) return readings
  const shown = new Set(found.readings.map(({ indexed }) => indexed.join()))
  const shared = readings.filter(({ indexed }) => shown.has(indexed.join()))
  return shared.length > 0 ? shared : readings
}

export function isSettled({ isComplete, readings, seen }: LearnedIndexed): boolean {
  return seen.length >= LOGS_MAX || (isComplete === true && readings.length === 1)
}

/** Eight bytes are enough, because a forged collision only causes one log to be ignored. */
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

function intersectReadings(
  some: readonly ScoredReading[],
  others: readonly ScoredReading[],
): ScoredReading[] {
  const bits = new Map(others.map((reading) => [reading.indexed.join(), reading.bits]))
  return some.flatMap((reading) => {
    const more = bits.get(reading.indexed.join())
    return more === undefined ? [] : [{ indexed: reading.indexed, bits: reading.bits + more }]
  })
}
