import type { ChainLog } from '../chain-log.ts'
import type { EventSignature } from '../signature/event-signature.ts'
import { isHashedInTopic } from '../signature/type-size.ts'
import { AbiReader } from './abi-reader.ts'
import { LogDecodeError, type WordType, wordValue } from './abi-word.ts'
import type { DecodedLog, DecodedReading, DecodedValue, DecodePlan } from './decoded-log.ts'

export type LogValues = Pick<ChainLog, 'topics' | 'data'>

/**
 * Maximum total size of all interpretations of an ambiguous log, in characters of JSON. Each interpretation repeats the
 * values of the log.
 */
const READINGS_CHARACTERS_MAX = 65_536

/** Decodes a log. Never throws: a log that does not fit the plan is returned as `raw`, with the reason. */
export function decodeLog(signature: EventSignature, log: LogValues, plan: DecodePlan): DecodedLog {
  if (plan.decode === 'raw') return raw(plan.reason)
  const readAs = (indexed: readonly number[]) => decodedReading(signature, log, indexed)
  try {
    const reading = readAs(plan.indexed)
    if (plan.decode !== 'ambiguous') return { decode: plan.decode, ...reading }
    const readings = readingsWithin(READINGS_CHARACTERS_MAX, plan.readings, readAs)
    const omitted = plan.omitted + plan.readings.length - readings.length
    return {
      decode: plan.decode,
      ...reading,
      readings,
      ...(omitted > 0 ? { readings_omitted: omitted } : {}),
    }
  } catch (error) {
    if (error instanceof LogDecodeError) return raw(error.message)
    throw error
  }
}

function readingsWithin(
  characters: number,
  choices: readonly (readonly number[])[],
  readAs: (indexed: readonly number[]) => DecodedReading,
): DecodedReading[] {
  const readings: DecodedReading[] = []
  let left = characters
  for (const indexed of choices) {
    const reading = readAs(indexed)
    left -= JSON.stringify(reading).length
    if (left < 0) break
    readings.push(reading)
  }
  return readings
}

/** @throws {LogDecodeError} if the log does not match the indexed arguments */
function decodedReading(
  signature: EventSignature,
  log: LogValues,
  indexed: readonly number[],
): DecodedReading {
  const values = readLog(signature, log, indexed)
  const hashed = indexed.filter((index) => isHashedInTopic(signature.inputs[index]!.type))
  return {
    decoded: Object.fromEntries(values.map((value, index) => [`arg${index}`, value])),
    indexed,
    indexed_hash: hashed.map((index) => `arg${index}`),
  }
}

function raw(reason: string): DecodedLog {
  return { decode: 'raw', decoded: null, indexed: null, indexed_hash: [], decode_error: reason }
}

/**
 * Returns the values of all arguments, in order of declaration.
 * @throws {LogDecodeError} if the log does not match the indexed arguments
 */
function readLog(
  signature: EventSignature,
  log: LogValues,
  indexed: readonly number[],
): DecodedValue[] {
  const { inputs } = signature
  if (!hasShape(log)) throw new LogDecodeError('its topics or its data are not hex of whole bytes')
  if (log.topics.length - 1 !== indexed.length || indexed.some((index) => !inputs[index]))
    throw new LogDecodeError(
      `the log has ${log.topics.length} topics, and ${indexed.length + 1} are read`,
    )

  const values = Array.from<DecodedValue>({ length: inputs.length })
  for (const [place, index] of indexed.entries())
    values[index] = topicValue(inputs[index]!.type, log.topics[place + 1]!, index)

  const inData = [...inputs.keys()].filter((index) => !indexed.includes(index))
  const reader = new AbiReader(log.data.slice(2))
  const types = inData.map((index) => inputs[index]!.type)
  const read = reader.sequence(types, 0, (place) => `arg${inData[place]}`)
  for (const [place, index] of inData.entries()) values[index] = read[place]!

  // Data after the last argument means that the wrong arguments were assumed to be indexed. If only one choice was
  // possible, such data is accepted, because an encoder may append data.
  const isChosen = indexed.length > 0 && indexed.length < inputs.length
  if (isChosen && reader.hasMore)
    throw new LogDecodeError('the data goes on behind its last argument')
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
    throw error instanceof LogDecodeError
      ? new LogDecodeError(`arg${index}: ${error.message}`)
      : error
  }
}

function hasShape({ topics, data }: LogValues): boolean {
  const isHex = data.length % 2 === 0 && /^0x[\da-f]*$/.test(data)
  return isHex && topics.every((topic) => /^0x[\da-f]{64}$/.test(topic))
}
