import type { EventSignature } from '../signature/event-signature.ts'
import { isHashedInTopic } from '../signature/type-size.ts'
import { WORD, type WordType, wordFits } from './abi-word.ts'
import { CanonicalLog } from './canonical-log.ts'
import type { LogValues } from './decode-log.ts'
import { indexedPriorBits } from './indexed-prior.ts'
import { HASH_BITS, wordBits } from './value-bits.ts'

/** One way to read a log, and the bits that its values take so; the fewest are the best. */
export type Reading = { indexed: readonly number[]; bits: number }

/**
 * Words that all readings of one log may look at: some milliseconds. Events of contracts have at most a few hundred
 * readings of a few words; a signature and a log made for it would have thousands of thousands.
 */
const WORDS_MAX = 60_000

/** What speaks most for itself, or why nothing does. */
export function inferIndexed(
  signature: EventSignature,
  log: LogValues,
): { indexed: readonly number[] } | { reason: string } {
  const readings = readingsOf(signature, log)
  if (!readings) return { reason: 'it can be read in too many ways; mark the indexed arguments' }
  const [best] = ranked(signature, readings)
  return best ?? { reason: 'no choice of indexed arguments fits its topics and data' }
}

/** Best first, with what is known of events before a log is seen. */
export function ranked(signature: EventSignature, readings: readonly Reading[]): Reading[] {
  return readings
    .map(({ indexed, bits }) => ({ indexed, bits: bits + indexedPriorBits(signature, indexed) }))
    .toSorted((a, b) => a.bits - b.bits)
}

/** All readings that are possible; `undefined` where there are too many to look at. */
export function readingsOf(signature: EventSignature, log: LogValues): Reading[] | undefined {
  const { inputs } = signature
  const data = new CanonicalLog(log.data.slice(2), WORDS_MAX)
  const inTopics = log.topics.slice(1).map((topic) => topicBits(signature, topic))
  const readings: Reading[] = []
  for (const indexed of choices(inputs.length, inTopics.length)) {
    let bits = 0
    for (const [place, index] of indexed.entries()) bits += inTopics[place]![index]!
    if (bits === Infinity) continue
    const inData = inputs.filter((_, index) => !indexed.includes(index))
    const dataBits = data.bitsAs(inData.map((input) => input.type))
    if (data.isSpent) return undefined
    if (dataBits !== undefined) readings.push({ indexed, bits: bits + dataBits })
  }
  return readings
}

/** Bits of one topic as each of the arguments. */
function topicBits({ inputs }: EventSignature, topic: string): number[] {
  const word = topic.slice(2)
  return inputs.map(({ type }) => {
    if (isHashedInTopic(type)) return HASH_BITS
    const isOne = word.length === WORD && wordFits(type as WordType, word)
    return isOne ? wordBits(type as WordType, word) : Infinity
  })
}

/** Every choice of `count` positions out of `of`, ascending: each `[0,1]`, `[0,2]`, `[1,2]`. */
export function* choices(of: number, count: number, from = 0): Generator<number[]> {
  if (count === 0) return yield []
  for (let first = from; first <= of - count; first++)
    for (const rest of choices(of, count - 1, first + 1)) yield [first, ...rest]
}
