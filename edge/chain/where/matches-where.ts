import type { ChainLog } from '../chain-log.ts'
import { decodeLog } from '../decoding/decode-log.ts'
import type { DecodedLog, DecodedReading } from '../decoding/decoded-log.ts'
import { planDecoding } from '../decoding/plan-decoding.ts'
import type { EventSignature } from '../signature/event-signature.ts'
import { parseEventSignature } from '../signature/parse-event-signature.ts'
import { hashOfText } from './where-value.ts'
import type { WhereCondition, WhereFilter } from './where-filter.ts'

type Log = Pick<ChainLog, 'topics' | 'data'>
type Value = string | boolean

type CompiledWhere = {
  signature: EventSignature
  tests: readonly { key: string; holds: (value: Value, isHash: boolean) => boolean }[]
}

/** Compiled on first use. A filter object lives as long as its subscription. */
const compiled = new WeakMap<WhereFilter, CompiledWhere>()
/** Many triggers can have conditions on the same event, so each log is decoded once for each signature. */
const decoded = new WeakMap<Log, Map<string, DecodedLog>>()

/**
 * Returns true if the conditions hold for a log. If the log can be read in several ways, they must hold for one of
 * them, so that no event is lost. They never hold for a log that cannot be decoded.
 */
export function matchesWhere(where: WhereFilter, log: Log): boolean {
  const { signature, tests } = compile(where)
  const {
    decode,
    readings,
    readings_omitted,
    decoded: values,
    indexed_hash,
  } = decodedBy(where.signature, signature, log)
  if (decode === 'raw' || values === null) return false
  const holds = (reading: Pick<DecodedReading, 'decoded' | 'indexed_hash'>) =>
    tests.every((test) =>
      test.holds(reading.decoded[test.key] as Value, reading.indexed_hash.includes(test.key)),
    )
  if (readings === undefined) return holds({ decoded: values, indexed_hash })
  return readings_omitted !== undefined || readings.some(holds)
}

function decodedBy(text: string, signature: EventSignature, log: Log): DecodedLog {
  let known = decoded.get(log)
  if (!known) decoded.set(log, (known = new Map()))
  let result = known.get(text)
  if (!result) {
    result = decodeLog(signature, log, planDecoding(signature, log))
    known.set(text, result)
  }
  return result
}

function compile(where: WhereFilter): CompiledWhere {
  const known = compiled.get(where)
  if (known) return known
  const signature = parseEventSignature(where.signature)
  const made = {
    signature,
    tests: where.conditions.map((condition) => ({
      key: `arg${condition.argument}`,
      holds: testOf(condition, signature.inputs[condition.argument]!.type.kind),
    })),
  }
  compiled.set(where, made)
  return made
}

function testOf({ operator, values }: WhereCondition, kind: string) {
  if (operator === 'gt' || operator === 'gte' || operator === 'lt' || operator === 'lte') {
    const bound = BigInt(values[0]!)
    const compare = ORDERS[operator]
    return (value: Value) => compare(BigInt(value), bound)
  }
  const texts = new Set(values)
  const hashes = kind === 'string' ? new Set(values.map(hashOfText)) : texts
  const isCaseless = kind !== 'string'
  const isAmong = (value: Value, isHash: boolean) => {
    const text = String(value)
    return (isHash ? hashes : texts).has(isCaseless ? text.toLowerCase() : text)
  }
  return operator === 'not_in'
    ? (value: Value, isHash: boolean) => !isAmong(value, isHash)
    : isAmong
}

const ORDERS = {
  gt: (value: bigint, bound: bigint) => value > bound,
  gte: (value: bigint, bound: bigint) => value >= bound,
  lt: (value: bigint, bound: bigint) => value < bound,
  lte: (value: bigint, bound: bigint) => value <= bound,
}
