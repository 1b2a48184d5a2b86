import type { ChainLog } from '../chain-log.ts'
import type { EventSignature } from '../signature/event-signature.ts'
import { isHashedInTopic } from '../signature/type-size.ts'
import { AbiReader } from './abi-reader.ts'
import { type WordType, wordValue } from './abi-word.ts'
import type { DecodedLog, DecodedValue, DecodePlan } from './decoded-log.ts'
import { Unfit } from './unfit.ts'

/** What of a log says its values. */
export type LogValues = Pick<ChainLog, 'topics' | 'data'>

/** @throws never: what does not fit is `raw`, with the reason */
export function decodeLog(signature: EventSignature, log: LogValues, plan: DecodePlan): DecodedLog {
  if (plan.decode === 'raw') return raw(plan.reason)
  try {
    const values = readLog(signature, log, plan.indexed)
    const named = values.map((value, index) => [`arg${index}`, value] as const)
    const hashed = plan.indexed.filter((index) => isHashedInTopic(signature.inputs[index]!.type))
    return {
      decode: plan.decode,
      decoded: Object.fromEntries(named),
      indexed: plan.indexed,
      indexed_hash: hashed.map((index) => `arg${index}`),
    }
  } catch (error) {
    if (error instanceof Unfit) return raw(error.message)
    throw error
  }
}

function raw(reason: string): DecodedLog {
  return { decode: 'raw', decoded: null, indexed: null, indexed_hash: [], decode_error: reason }
}

/**
 * The values of all arguments, in order.
 * @param indexed positions of those in the topics, ascending
 * @throws {Unfit}
 */
export function readLog(
  signature: EventSignature,
  log: LogValues,
  indexed: readonly number[],
): DecodedValue[] {
  const { inputs } = signature
  if (!hasShape(log)) throw new Unfit('its topics or its data are not hex of whole bytes')
  if (log.topics.length - 1 !== indexed.length || indexed.some((index) => !inputs[index]))
    throw new Unfit(`the log has ${log.topics.length} topics, and ${indexed.length + 1} are read`)

  const values = Array.from<DecodedValue>({ length: inputs.length })
  for (const [place, index] of indexed.entries())
    values[index] = topicValue(inputs[index]!.type, log.topics[place + 1]!, index)

  const inData = [...inputs.keys()].filter((index) => !indexed.includes(index))
  const reader = new AbiReader(log.data.slice(2))
  const types = inData.map((index) => inputs[index]!.type)
  const read = reader.sequence(types, 0, (place) => `arg${inData[place]}`)
  for (const [place, index] of inData.entries()) values[index] = read[place]!

  // Arguments of other sizes were in the data. Where nothing can be wrong about that, more data is its encoder's.
  const isChosen = indexed.length > 0 && indexed.length < inputs.length
  if (isChosen && reader.hasMore) throw new Unfit('the data goes on behind its last argument')
  return values
}

function topicValue(
  type: EventSignature['inputs'][number]['type'],
  topic: string,
  index: number,
): DecodedValue {
  if (isHashedInTopic(type)) return topic
  try {
    return wordValue(type as WordType, topic.slice(2))
  } catch (error) {
    throw error instanceof Unfit ? new Unfit(`arg${index}: ${error.message}`) : error
  }
}

function hasShape({ topics, data }: LogValues): boolean {
  const isHex = data.length % 2 === 0 && /^0x[\da-f]*$/.test(data)
  return isHex && topics.every((topic) => /^0x[\da-f]{64}$/.test(topic))
}
