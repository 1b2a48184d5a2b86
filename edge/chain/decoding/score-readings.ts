import type { EventSignature } from '../signature/event-signature.ts'
import { isHashedInTopic } from '../signature/type-size.ts'
import { WORD_DIGITS, type WordType, wordFits } from './abi-word.ts'
import { EncodingScorer } from './encoding-scorer.ts'
import type { LogValues } from './decode-log.ts'
import { indexedPriorBits } from './indexed-prior.ts'
import { HASH_BITS, wordBits } from './value-bits.ts'

/** A choice of indexed arguments. Fewer bits are more likely. */
export type ScoredReading = { indexed: readonly number[]; bits: number }

/**
 * Words to inspect for all choices of one log; takes a few milliseconds. An event with 17 arguments needs 10,000. A
 * signature with 32 arguments and a crafted log would need ten times as many. For long data, the budget grows by only
 * `TIMES_READ_MAX` per word, because few choices fit up to the end of the data.
 */
const WORDS_MAX = 20_000
const TIMES_READ_MAX = 4

/** Most likely first, given how often types and positions are indexed in published event declarations. */
export function rankReadings(
  signature: EventSignature,
  readings: readonly ScoredReading[],
): ScoredReading[] {
  return readings
    .map(({ indexed, bits }) => ({ indexed, bits: bits + indexedPriorBits(signature, indexed) }))
    .toSorted((a, b) => a.bits - b.bits)
}

/** Every choice of indexed arguments that fits the log; undefined if there are too many to try. */
export function scoreReadings(
  signature: EventSignature,
  log: LogValues,
): ScoredReading[] | undefined {
  const { inputs } = signature
  const hex = log.data.slice(2)
  const words = WORDS_MAX + (TIMES_READ_MAX * hex.length) / WORD_DIGITS
  const data = new EncodingScorer(hex, words)
  const inTopics = log.topics.slice(1).map((topic) => topicBits(signature, topic))
  const readings: ScoredReading[] = []
  for (const { indexed, bits } of topicAssignments(inTopics)) {
    const inData = inputs.filter((_, index) => !indexed.includes(index)).map(({ type }) => type)
    const dataBits = data.scoreAs(inData)
    if (data.isBudgetSpent) return undefined
    if (dataBits !== undefined) readings.push({ indexed, bits: bits + dataBits })
  }
  return readings
}

/** Matches topics that cannot be a hash: finding one that starts with 96 zero bits is infeasible. */
const NO_HASH = /^0{24}/

/** How unusual a topic is as a value of each argument. Infinity means that it cannot be one. */
function topicBits({ inputs }: EventSignature, topic: string): number[] {
  const word = topic.slice(2)
  return inputs.map(({ type }) => {
    if (isHashedInTopic(type)) return NO_HASH.test(word) ? Infinity : HASH_BITS
    const isValidWord = word.length === WORD_DIGITS && wordFits(type as WordType, word)
    return isValidWord ? wordBits(type as WordType, word) : Infinity
  })
}

/**
 * Yields every assignment of topics to arguments that fits, in lexicographic order, such as `[0,1]`, `[0,2]`, `[1,2]`.
 * @param inTopics for each topic, how unusual it is as a value of each argument, in bits
 */
function* topicAssignments(
  inTopics: readonly (readonly number[])[],
  from = 0,
): Generator<ScoredReading> {
  const [bits, ...others] = inTopics
  if (!bits) return yield { indexed: [], bits: 0 }
  for (let first = from; first < bits.length - others.length; first++) {
    const own = bits[first]!
    if (own === Infinity) continue
    for (const rest of topicAssignments(others, first + 1))
      yield { indexed: [first, ...rest.indexed], bits: own + rest.bits }
  }
}
