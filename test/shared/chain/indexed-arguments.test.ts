import { describe, expect, it } from 'vitest'
import knownEvents from '../../../edge/chain/decoding/known-events.json' with { type: 'json' }
import { isSettled, learnIndexed } from '../../../edge/chain/decoding/learn-indexed.ts'
import { planDecoding } from '../../../edge/chain/decoding/plan-decoding.ts'
import { parseEventSignature } from '../../../edge/chain/signature/parse-event-signature.ts'
import { isPartlyIndexed, logOf, marksOf, seeded, someLog } from './some-logs.ts'
import { tableEntries } from './table-entries.ts'

/** An event with the same types that is not in any table. */
const unknown = ({ canonical }: { canonical: string }) =>
  parseEventSignature(`Unknown${canonical.slice(canonical.indexOf('('))}`)

describe('inference over the layouts of published contracts, under an unknown name', () => {
  const LOGS_EACH = 4
  const corpus = tableEntries(knownEvents.rows).filter(isPartlyIndexed)
  const random = seeded(9)
  const results = corpus.flatMap((declaration) => {
    const marks = marksOf(declaration)
    const isFirst = marks.every((index, place) => index === place)
    const signature = unknown(declaration)
    return Array.from({ length: LOGS_EACH }, () => {
      const plan = planDecoding(signature, someLog(signature, marks, random))
      const isTrue = (indexed: readonly number[]) => indexed.join() === marks.join()
      return {
        plan,
        isFirst,
        isRight: plan.decode !== 'raw' && isTrue(plan.indexed),
        isAmongReadings: plan.decode === 'ambiguous' && plan.readings.some(isTrue),
      }
    })
  })
  const share = (of: typeof results) => of.filter(({ isRight }) => isRight).length / of.length

  it('is always right if the result is inferred', () => {
    const inferred = results.filter(({ plan }) => plan.decode === 'inferred')
    expect(inferred.length / results.length).toBeGreaterThan(0.35)
    expect(share(inferred)).toBe(1)
    expect(results.filter(({ plan }) => plan.decode === 'raw')).toEqual([])
  })

  it('includes the true reading of an ambiguous log unless readings are omitted', () => {
    const complete = results.filter(({ plan }) => plan.decode === 'ambiguous' && plan.omitted === 0)
    expect(complete.length / results.length).toBeGreaterThan(0.5)
    expect(complete.filter(({ isAmongReadings }) => !isAmongReadings)).toEqual([])
  })

  it('guesses right for nearly all events that index their first arguments, and half of the others', () => {
    expect(share(results.filter(({ isFirst }) => isFirst))).toBeGreaterThan(0.98)
    expect(share(results.filter(({ isFirst }) => !isFirst))).toBeGreaterThan(0.5)
    expect(share(results)).toBeGreaterThan(0.88)
  })
})

describe('learning from logs', () => {
  const signature = parseEventSignature('Fee(uint256,uint32,address)')
  const alice = `0x${'a1'.repeat(20)}`
  /** The second argument is indexed. A small number alone is weak evidence. */
  const logs = [300, 70_000, 12, 9_000_000, 4_000, 65_000, 31].map((small, at) =>
    logOf(signature, [1], [10n ** 24n + BigInt(at) * 7_919n ** 5n, small, alice]),
  )

  it('becomes confident from different logs, and can continue later', () => {
    const together = learnIndexed(signature, logs)
    expect(together).toMatchObject({ count: 1, indexed: [1], confident: true })
    const first = learnIndexed(signature, logs.slice(0, 3))
    const second = learnIndexed(signature, logs.slice(3), first)
    expect(second?.readings.map(({ indexed }) => indexed)).toEqual(
      together?.readings.map(({ indexed }) => indexed),
    )
    expect(second?.readings[0]!.bits).toBeCloseTo(together!.readings[0]!.bits)
  })

  it('learns nothing from repetitions of the same log', () => {
    const [log] = logs
    const once = learnIndexed(signature, [log!])
    expect(learnIndexed(signature, Array(50).fill(log))).toEqual(once)
    expect(learnIndexed(signature, [log!], once)).toEqual(once)
  })

  it('never becomes confident if the types are equal and the values are inconclusive', () => {
    const same = parseEventSignature('Both(uint256,uint256)')
    const both = [1, 2, 3, 4, 5, 6].map((value) => logOf(same, [1], [value, value + 1]))
    expect(learnIndexed(same, both)).toMatchObject({ confident: false })
  })

  it('survives JSON, and decodes later logs', () => {
    const learned = learnIndexed(signature, logs)!
    const kept = JSON.parse(JSON.stringify(learned)) as typeof learned
    const log = logOf(signature, [1], [5, 6, alice])
    expect(planDecoding(signature, log, kept)).toEqual({ decode: 'inferred', indexed: [1] })
  })

  it('infers from several logs what a single log leaves open', () => {
    const paid = parseEventSignature('Paid(uint256,address)')
    const paidOf = (amount: bigint) => logOf(paid, [0], [amount, alice])
    const open = paidOf(10n)
    expect(planDecoding(paid, open)).toMatchObject({ decode: 'ambiguous' })
    const learned = learnIndexed(paid, [open, paidOf(1n << 200n)])!
    expect(isSettled(learned)).toBe(true)
    expect(planDecoding(paid, open, learned)).toEqual({ decode: 'inferred', indexed: [0] })
  })

  it('does not infer from a stored state without all readings', () => {
    const paid = parseEventSignature('Paid(uint256,address)')
    const stored = {
      count: 1,
      indexed: [0],
      confident: true,
      readings: [{ indexed: [0], bits: 9 }],
      seen: [],
    }
    expect(planDecoding(paid, logOf(paid, [0], [10n, alice]), stored)).toEqual({
      decode: 'ambiguous',
      indexed: [0],
      readings: [[0], [1]],
      omitted: 0,
    })
  })

  it('is not used if the log contradicts it, if it is not confident, or for another number of topics', () => {
    const claims = (indexed: number[], confident: boolean, count = 1) => ({
      count,
      indexed,
      confident,
      readings: [],
      seen: [],
    })
    const log = logOf(signature, [0], [1n << 200n, 6, alice])
    for (const learned of [claims([1], true), claims([2], false), claims([1, 2], true, 2)])
      expect(planDecoding(signature, log, learned)).toEqual({ decode: 'inferred', indexed: [0] })
  })

  it('returns nothing if no log leaves a choice, and ignores logs that do not fit', () => {
    expect(learnIndexed(signature, [])).toBeUndefined()
    expect(learnIndexed(signature, [logOf(signature, [0, 1, 2], [1, 2, alice])])).toBeUndefined()
    const odd = { topics: [signature.topic0, logs[0]!.topics[1]!], data: '0x' }
    expect(learnIndexed(signature, [odd, ...logs])).toMatchObject({ indexed: [1], confident: true })
  })
})
