/**
 * Example of a log that would fire a trigger. All values are zero, except for those that the trigger's topic filters
 * specify.
 */
import type { ChainEventConfig } from '../../chain/chain-event-config.ts'
import { filterAddresses } from '../../chain/matching/log-filter.ts'
import type { ChainLog } from '../../chain/chain-log.ts'
import type { DecodePlan } from '../../chain/decoding/decoded-log.ts'
import { knownLayouts } from '../../chain/decoding/known-events.ts'
import { planDecoding } from '../../chain/decoding/plan-decoding.ts'
import {
  EMPTY_HASH,
  SAMPLE_WORDS_MAX,
  sampleData,
  ZERO_WORD,
} from '../../chain/decoding/sample-data.ts'
import type { EventSignature } from '../../chain/signature/event-signature.ts'
import { isHashedInTopic, minWords } from '../../chain/signature/type-size.ts'

/** @param time block timestamp in Unix seconds */
export function exampleLog(
  { filter, signature }: Pick<ChainEventConfig, 'filter' | 'signature'>,
  block: number,
  time: number,
): { log: ChainLog; plan: DecodePlan } {
  const logWith = (indexed: readonly number[]): ChainLog => {
    const inData = signature.inputs.filter((_, at) => !indexed.includes(at))
    return {
      address: [...filterAddresses(filter)][0] ?? `0x${'0'.repeat(40)}`,
      topics: [
        filter.topic0,
        ...indexed.map((index, at) => {
          const { type } = signature.inputs[index]!
          return filter.topics[at]?.[0] ?? `0x${isHashedInTopic(type) ? EMPTY_HASH : ZERO_WORD}`
        }),
      ],
      data: `0x${sampleData(
        inData.map(({ type }) => type),
        () => ZERO_WORD,
      )}`,
      blockNumber: block,
      blockHash: `0x${ZERO_WORD}`,
      blockTimestamp: time,
      transactionHash: `0x${ZERO_WORD}`,
      transactionIndex: 0,
      logIndex: 0,
      ordinal: 0,
    }
  }
  const words = signature.inputs.reduce((sum, { type }) => sum + minWords(type), 0)
  if (words > SAMPLE_WORDS_MAX) {
    const reason = 'an example of these arguments would be too large'
    return { log: { ...logWith([]), data: '0x' }, plan: { decode: 'raw', reason } }
  }
  const log = logWith(exampleIndexed(signature, filter.topics.length))
  return { log, plan: planDecoding(signature, log) }
}

/**
 * Returns the positions of the indexed arguments. Uses the `indexed` keywords of the signature, or else the layout of a
 * known event, or else assumes that the first arguments are indexed, one for each topic filter.
 */
function exampleIndexed(signature: EventSignature, filtered: number): readonly number[] {
  const { inputs, isMarked } = signature
  const places = [...inputs.keys()]
  if (isMarked) return places.filter((at) => inputs[at]!.indexed)
  const known = knownLayouts(signature)
    .filter((indexed) => indexed.length >= Math.max(filtered, 1))
    .toSorted((a, b) => a.length - b.length)
  return known[0] ?? places.slice(0, filtered)
}
