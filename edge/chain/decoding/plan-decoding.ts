import type { EventSignature } from '../signature/event-signature.ts'
import { decodeLog, type LogValues } from './decode-log.ts'
import type { DecodePlan } from './decoded-log.ts'
import { rankReadings, scoreReadings } from './score-readings.ts'
import { knownLayouts } from './known-events.ts'
import { type LearnedIndexed, learnedGuess, narrowReadings } from './learn-indexed.ts'

/** Maximum number of choices in a plan. It is enough for every choice of three out of six arguments. */
const READINGS_MAX = 20

/**
 * Decides which arguments are in the topics, based on the `indexed` keywords in the owner's signature, then a number of
 * topics that leaves no choice, then the table of known events, and then the values (`docs/decisions/0071`). Never
 * throws.
 */
export function planDecoding(
  signature: EventSignature,
  log: LogValues,
  learned?: LearnedIndexed,
): DecodePlan {
  const { inputs, topic0, isMarked } = signature
  if (log.topics[0] !== topic0) return raw('the log belongs to another event')
  const count = log.topics.length - 1
  const topics = `the log has ${log.topics.length} topics, that is ${indexedCount(count)}`
  if (count > inputs.length)
    return raw(`${topics}, but the signature has ${counted(inputs.length)} in total`)
  if (isMarked) {
    const indexed = [...inputs.keys()].filter((index) => inputs[index]!.indexed)
    return indexed.length === count
      ? { decode: 'exact', indexed }
      : raw(`${topics}, but the signature marks ${counted(indexed.length)}`)
  }
  if (count === 0) return { decode: 'exact', indexed: [] }
  if (count === inputs.length) return { decode: 'exact', indexed: [...inputs.keys()] }

  const known = knownLayouts(signature).filter(
    (indexed) => indexed.length === count && fits(signature, log, indexed),
  )
  if (known.length === 1) return { decode: 'exact', indexed: known[0]! }
  return planByValues(signature, log, { known, learned, count })
}

/** @param options.known layouts in the table of known events that fit the log: zero, or at least two */
function planByValues(
  signature: EventSignature,
  log: LogValues,
  options: {
    known: readonly (readonly number[])[]
    learned: LearnedIndexed | undefined
    count: number
  },
): DecodePlan {
  const { known, learned, count } = options
  const found = scoreReadings(signature, log)
  if (!found && known.length === 0)
    return raw('the log can be decoded in too many ways; mark the indexed arguments')
  const possible = rankReadings(signature, narrowReadings(found ?? [], learned, count)).map(
    ({ indexed }) => indexed,
  )
  const [only] = possible
  if (only && possible.length === 1) return { decode: 'inferred', indexed: only }
  const isKnown = (indexed: readonly number[]) =>
    known.length === 0 || known.some((layout) => layout.join() === indexed.join())
  const guess = learnedGuess(learned, count)
  const guesses = guess && isKnown(guess) && fits(signature, log, guess) ? [guess] : []
  const readings = distinct([...guesses, ...possible.filter(isKnown), ...known, ...possible])
  const [best] = readings
  if (!best) return raw('no choice of indexed arguments matches the topics and data')
  const kept = readings.slice(0, READINGS_MAX)
  return {
    decode: 'ambiguous',
    indexed: best,
    readings: kept,
    omitted: readings.length - kept.length,
  }
}

function distinct(choices: readonly (readonly number[])[]): (readonly number[])[] {
  return [...new Map(choices.map((indexed) => [indexed.join(), indexed])).values()]
}

function fits(signature: EventSignature, log: LogValues, indexed: readonly number[]): boolean {
  return decodeLog(signature, log, { decode: 'exact', indexed }).decode !== 'raw'
}

const raw = (reason: string): DecodePlan => ({ decode: 'raw', reason })

const counted = (count: number) => `${count} argument${count === 1 ? '' : 's'}`

const indexedCount = (count: number) => `${count} indexed argument${count === 1 ? '' : 's'}`
