import type { EventSignature } from '../signature/event-signature.ts'
import { INDEXED_MAX } from '../signature/parse-event-signature.ts'
import { isHashedInTopic, minWords } from '../signature/type-size.ts'
import type { WordType } from './abi-word.ts'
import { indexedPriorBits } from './indexed-prior.ts'
import { scoreReadings } from './score-readings.ts'
import { knownLayouts } from './known-events.ts'
import { EMPTY_HASH, SAMPLE_WORDS_MAX, sampleData, typicalWord } from './sample-data.ts'

/** Maximum number of layouts to try for each number of topics. Trying them takes a few milliseconds. */
const TRIED_MAX = 64
/** Maximum number of layouts to return as examples for an unknown event. */
const FOUND_MAX = 2

/**
 * Returns layouts (sets of indexed arguments) that can be distinguished only by `indexed` keywords in the signature.
 * For a known event, these are all layouts that published contracts declare. For an unknown event, they are the
 * likeliest layouts for which a typical log also fits another layout. Empty if the table of known events or the log
 * itself determines the layout.
 * @param leastIndexed minimum number of indexed arguments in a log that passes the topic filters
 */
export function ambiguousLayouts(
  signature: EventSignature,
  leastIndexed = 0,
): readonly (readonly number[])[] {
  const { inputs, isMarked } = signature
  const words = inputs.reduce((sum, { type }) => sum + minWords(type), 0)
  if (isMarked || words > SAMPLE_WORDS_MAX) return []
  const known = knownLayouts(signature)
  const most = Math.min(INDEXED_MAX, inputs.length - 1)
  for (let count = Math.max(leastIndexed, 1); count <= most; count++) {
    if (known.length === 0) {
      const open = likelyAmbiguousLayouts(signature, count)
      if (open.length > 0) return open
    } else {
      const declared = known.filter((indexed) => indexed.length === count)
      if (declared.length > 1) return declared
    }
  }
  return []
}

function likelyAmbiguousLayouts(signature: EventSignature, count: number): number[][] {
  const likeliest = layoutsOf(signature.inputs.length, count)
    .toSorted((a, b) => indexedPriorBits(signature, a) - indexedPriorBits(signature, b))
    .slice(0, TRIED_MAX)
  const open: number[][] = []
  for (const indexed of likeliest) {
    if (open.length === FOUND_MAX) break
    if (isAmbiguous(signature, indexed)) open.push(indexed)
  }
  return open
}

function layoutsOf(inputs: number, count: number, from = 0): number[][] {
  if (count === 0) return [[]]
  const layouts: number[][] = []
  for (let first = from; first <= inputs - count; first++)
    for (const rest of layoutsOf(inputs, count - 1, first + 1)) layouts.push([first, ...rest])
  return layouts
}

function isAmbiguous(signature: EventSignature, indexed: readonly number[]): boolean {
  const { inputs, topic0 } = signature
  const topics = indexed.map((index) => {
    const { type } = inputs[index]!
    return `0x${isHashedInTopic(type) ? EMPTY_HASH : typicalWord(type as WordType)}`
  })
  const inData = inputs.filter((_, index) => !indexed.includes(index)).map(({ type }) => type)
  const data = `0x${sampleData(inData, typicalWord)}`
  return scoreReadings(signature, { topics: [topic0, ...topics], data })?.length !== 1
}
