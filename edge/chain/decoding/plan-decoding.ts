import type { EventSignature } from '../signature/event-signature.ts'
import { decodeLog, type LogValues } from './decode-log.ts'
import type { DecodePlan } from './decoded-log.ts'
import { inferIndexed } from './infer-indexed.ts'
import { knownIndexed } from './known-events.ts'
import { type LearnedIndexed, learned as learnedOf } from './learn-indexed.ts'

/**
 * Which arguments a log has in its topics: its topics say how many, and not which (`reference/triggers.md`, 4.4). In
 * this order: the owner's marks, the count where it leaves no choice, the table of known events, what the trigger's
 * logs have shown, this log's values.
 * @param learned what the logs of this contract and signature have shown so far
 * @throws never
 */
export function planDecoding(
  signature: EventSignature,
  log: LogValues,
  learned?: LearnedIndexed,
): DecodePlan {
  const { inputs, topic0, isMarked } = signature
  if (log.topics[0] !== topic0) return raw('the log is one of another event')
  const count = log.topics.length - 1
  const topics = `the log has ${log.topics.length} topics, which is ${indexedCount(count)}`
  if (count > inputs.length)
    return raw(`${topics}, and the signature has ${counted(inputs.length)} in all`)
  if (isMarked) {
    const indexed = [...inputs.keys()].filter((index) => inputs[index]!.indexed)
    return indexed.length === count
      ? { decode: 'exact', indexed }
      : raw(`${topics}, and the signature marks ${counted(indexed.length)}`)
  }
  if (count === 0) return { decode: 'exact', indexed: [] }
  if (count === inputs.length) return { decode: 'exact', indexed: [...inputs.keys()] }

  const known = knownIndexed(signature, count)
  if (known && fits(signature, log, known)) return { decode: 'exact', indexed: known }
  const shown = learnedOf(learned, count)
  if (shown && fits(signature, log, shown)) return { decode: 'inferred', indexed: shown }
  const inferred = inferIndexed(signature, log)
  if ('reason' in inferred) return raw(inferred.reason)
  return { decode: 'inferred', indexed: inferred.indexed }
}

function fits(signature: EventSignature, log: LogValues, indexed: readonly number[]): boolean {
  return decodeLog(signature, log, { decode: 'exact', indexed }).decode !== 'raw'
}

const raw = (reason: string): DecodePlan => ({ decode: 'raw', reason })

const counted = (count: number) => `${count} argument${count === 1 ? '' : 's'}`

const indexedCount = (count: number) => `${count} indexed argument${count === 1 ? '' : 's'}`
