/** A log that would fire a trigger, for who has seen none: all values are zero, but for what its topic filters ask for. */
import type { ChainConfig } from '../../chain/chain-config.ts'
import type { ChainLog } from '../../chain/chain-log.ts'
import type { DecodePlan } from '../../chain/decoding/decoded-log.ts'
import { knownIndexed } from '../../chain/decoding/known-events.ts'
import type { AbiType, EventSignature } from '../../chain/signature/event-signature.ts'
import { INDEXED_MAX } from '../../chain/signature/parse-event-signature.ts'
import { headWords, isDynamic, leastWords } from '../../chain/signature/type-size.ts'

const ZERO_WORD = '0'.repeat(64)

/** A type such as `uint256[1000000]` has no example: its values alone would be megabytes. */
const EXAMPLE_WORDS_MAX = 1_000

/**
 * @param block its number
 * @param time of its block, in Unix seconds
 */
export function exampleLog(
  { filter, signature }: Pick<ChainConfig, 'filter' | 'signature'>,
  block: number,
  time: number,
): { log: ChainLog; plan: DecodePlan } {
  const logWith = (indexed: readonly number[]): ChainLog => {
    const inData = signature.inputs.filter((_, at) => !indexed.includes(at))
    return {
      address: filter.address,
      topics: [
        filter.topic0,
        ...indexed.map((_, at) => filter.topics[at]?.[0] ?? `0x${ZERO_WORD}`),
      ],
      data: `0x${zeros(inData.map(({ type }) => type))}`,
      blockNumber: block,
      blockHash: `0x${ZERO_WORD}`,
      blockTimestamp: time,
      transactionHash: `0x${ZERO_WORD}`,
      transactionIndex: 0,
      logIndex: 0,
      ordinal: 0,
    }
  }
  const words = signature.inputs.reduce((sum, { type }) => sum + leastWords(type), 0)
  if (words > EXAMPLE_WORDS_MAX) {
    const reason = 'an example of these arguments would be too large'
    return { log: { ...logWith([]), data: '0x' }, plan: { decode: 'raw', reason } }
  }
  const plan = planOf(signature, filter.topics.length)
  return { log: logWith(plan.indexed), plan }
}

/**
 * Which arguments the topics of an example hold: those that are marked, or those that a known event of this signature
 * indexes; else the first, as many as topic filters name.
 */
function planOf(signature: EventSignature, filtered: number) {
  const { inputs, isMarked } = signature
  const places = [...inputs.keys()]
  if (isMarked)
    return { decode: 'exact', indexed: places.filter((at) => inputs[at]!.indexed) } as const
  for (let count = Math.max(filtered, 1); count <= INDEXED_MAX; count++) {
    const indexed = knownIndexed(signature, count)
    if (indexed) return { decode: 'exact', indexed } as const
  }
  return {
    decode: filtered === inputs.length ? 'exact' : 'inferred',
    indexed: places.slice(0, filtered),
  } as const
}

/** The ABI's encoding of arguments that are all zero or empty, without 0x. */
function zeros(types: readonly AbiType[]): string {
  let head = ''
  let tail = ''
  const headBytes = types.reduce((sum, type) => sum + headWords(type) * 32, 0)
  for (const type of types) {
    if (!isDynamic(type)) head += ZERO_WORD.repeat(leastWords(type))
    else {
      head += (headBytes + tail.length / 2).toString(16).padStart(64, '0')
      tail += zeroOf(type)
    }
  }
  return head + tail
}

/** What a dynamic type's offset points at: an empty one has its length alone. */
function zeroOf(type: AbiType): string {
  if (type.kind === 'tuple') return zeros(type.members)
  if (type.kind === 'array' && type.length !== null)
    return zeros(Array.from({ length: type.length }, () => type.of))
  return ZERO_WORD
}
