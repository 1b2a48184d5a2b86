import type { EventSignature } from '../signature/event-signature.ts'
import { isHashedInTopic } from '../signature/type-size.ts'
import { WORD_DIGITS, type WordType, wordFits } from './abi-word.ts'
import { EncodingScorer } from './encoding-scorer.ts'
import type { LogValues } from './decode-log.ts'
import { indexedPriorBits } from './indexed-prior.ts'
import { HASH_BITS, wordBits } from './value-bits.ts'

/** Choices with fewer bits are more likely. */
export type ScoredReading = { indexed: readonly number[]; bits: number }

/**
 * Maximum number of words to inspect for all choices of one log, which takes a few milliseconds. An event with 17
 * arguments needs 10,000 words. A signature with 32 arguments and a crafted log would need ten times as many. For long
 * data, the budget grows by only `TIMES_READ_MAX` per word, because few choices fit up to the end of the data.
 */
const WORDS_MAX = 20_000
const TIMES_READ_MAX = 4

/**
 * Sorts choices of indexed arguments, the most likely first, based on how often published event declarations index each
 * type and position.
 */
export function rankReadings(
  signature: EventSignature,
  readings: readonly ScoredReading[],
): ScoredReading[] {
  return readings
    .map(({ indexed, bits }) => ({ indexed, bits: bits + indexedPriorBits(signature, indexed) }))
    .toSorted((a, b) => a.bits - b.bits)
}

/** Returns undefined if there are too many choices to try. */
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

/** Matches topics that cannot be a hash. A hash with 96 leading zero bits is infeasible to find. */
const NO_HASH = /^0{24}/

/** The score is Infinity if the topic cannot be a value of the argument. */
function topicBits({ inputs }: EventSignature, topic: string): number[] {
  const word = topic.slice(2)
  return inputs.map(({ type }) => {
    if (isHashedInTopic(type)) return NO_HASH.test(word) ? Infinity : HASH_BITS
    const isValidWord = word.length === WORD_DIGITS && wordFits(type as WordType, word)
    return isValidWord ? wordBits(type as WordType, word) : Infinity
  })
}

/**
 * Yields every valid assignment of topics to arguments in lexicographic order, for example `[0,1]`, `[0,2]`, `[1,2]`.
 * @param inTopics for each topic, its score in bits as the value of each argument
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
