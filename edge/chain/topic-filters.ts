import { TOPIC_FILTERS_MAX, TOPICS_PER_FILTER_MAX } from '../../shared/limits.ts'
import type { LogFilter } from './matching/log-filter.ts'
import type { EventSignature } from './signature/event-signature.ts'

type TopicFilterProblem = { field: string; problem: string; fix: string }

const FIX = `Send at most ${TOPIC_FILTERS_MAX} entries for the topics after the first: each a 32-byte topic, an array of topics, or null.`

/** Returns allowed values of topics 1 to 3 as lower-case hex, without duplicates or trailing nulls. */
export function readTopicFilters(
  filters: unknown,
  signature: EventSignature,
): LogFilter['topics'] | TopicFilterProblem {
  const field = 'config.topic_filters'
  if (filters === undefined || filters === null) return []
  if (!Array.isArray(filters)) return { field, problem: 'expected an array', fix: FIX }
  if (filters.length > TOPIC_FILTERS_MAX)
    return {
      field,
      problem: `${filters.length} entries; the limit is ${TOPIC_FILTERS_MAX}`,
      fix: FIX,
    }
  const topics: LogFilter['topics'] = []
  for (const [at, entry] of filters.entries()) {
    const read = readEntry(entry)
    if (read !== null && 'problem' in read)
      return { ...read, field: `${field}[${at}]${read.field}` }
    topics.push(read)
  }
  while (topics.at(-1) === null) topics.pop()
  return excessTopicsProblem(topics.length, signature) ?? topics
}

/** Rejects a filter for a topic that the event cannot have, because the filter would never match a log. */
function excessTopicsProblem(
  count: number,
  signature: EventSignature,
): TopicFilterProblem | undefined {
  const { inputs, isMarked } = signature
  const indexed = isMarked ? inputs.filter((input) => input.indexed).length : inputs.length
  if (count <= indexed) return undefined
  const has = isMarked ? `marks ${indexed} arguments as indexed` : `has ${indexed} arguments`
  return {
    field: `config.topic_filters[${indexed}]`,
    problem: `event_signature ${has}, so no log has a topic at this position`,
    fix: 'Omit it, or correct event_signature.',
  }
}

function readEntry(entry: unknown): string[] | null | TopicFilterProblem {
  if (entry === null) return null
  if (!Array.isArray(entry)) return readTopic(entry, '', (topic) => [topic])
  const wrong = (problem: string) => ({ field: '', problem, fix: FIX })
  if (entry.length === 0) return wrong('an empty array matches no log; use null to match any topic')
  if (entry.length > TOPICS_PER_FILTER_MAX)
    return wrong(`${entry.length} topics; the limit is ${TOPICS_PER_FILTER_MAX}`)
  const topics = new Set<string>()
  for (const [at, topic] of entry.entries()) {
    const problem = readTopic(topic, `[${at}]`, (read) => void topics.add(read))
    if (problem) return problem
  }
  return [...topics]
}

function readTopic<Read>(
  topic: unknown,
  field: string,
  take: (topic: string) => Read,
): Read | TopicFilterProblem {
  if (typeof topic === 'string' && /^0x[0-9a-fA-F]{64}$/.test(topic))
    return take(topic.toLowerCase())
  const meant = suggestedTopic(topic)
  const problem = 'expected a 32-byte topic: 0x followed by 64 hex digits'
  return { field, problem, fix: meant === undefined ? FIX : `Send ${meant}.` }
}

/** Returns undefined for values other than addresses, numbers and booleans. */
function suggestedTopic(value: unknown): string | undefined {
  if (typeof value === 'boolean') return asTopic(BigInt(value))
  if (typeof value === 'number' && Number.isSafeInteger(value)) return asTopic(BigInt(value))
  if (typeof value !== 'string') return undefined
  if (/^0x[0-9a-fA-F]{40}$/.test(value)) return asTopic(BigInt(value))
  const isInTopic = /^-?[0-9]{1,78}$/.test(value) && BigInt(value) < 2n ** 256n
  return isInTopic ? asTopic(BigInt(value)) : undefined
}

/** Negative numbers use two's complement, like `int` arguments. */
function asTopic(value: bigint): string {
  return `0x${BigInt.asUintN(256, value).toString(16).padStart(64, '0')}`
}
