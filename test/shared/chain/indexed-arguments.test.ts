import { describe, expect, it } from 'vitest'
import { KNOWN_EVENTS } from '../../../edge/chain/decoding/known-events-table.ts'
import { isSettled, learnIndexed } from '../../../edge/chain/decoding/learn-indexed.ts'
import { planDecoding } from '../../../edge/chain/decoding/plan-decoding.ts'
import { parseEventSignature } from '../../../edge/chain/signature/parse-event-signature.ts'
import { isPartlyIndexed, logOf, marksOf, seeded, someLog } from './some-logs.ts'
import { tableEntries } from './table-entries.ts'

/** An event of the same types that no table has. */
const unknown = ({ canonical }: { canonical: string }) =>
  parseEventSignature(`Unknown${canonical.slice(canonical.indexOf('('))}`)

describe('inference, over the layouts of published contracts, under a name that no table has', () => {
  const LOGS_EACH = 4
  const corpus = tableEntries(KNOWN_EVENTS).filter(isPartlyIndexed)
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

  it('is right wherever it says inferred', () => {
    const inferred = results.filter(({ plan }) => plan.decode === 'inferred')
    expect(inferred.length / results.length).toBeGreaterThan(0.35)
    expect(share(inferred)).toBe(1)
    expect(results.filter(({ plan }) => plan.decode === 'raw')).toEqual([])
  })

  it('has the true reading among those of an ambiguous log, unless it says that some are left out', () => {
    const complete = results.filter(({ plan }) => plan.decode === 'ambiguous' && plan.omitted === 0)
    expect(complete.length / results.length).toBeGreaterThan(0.5)
    expect(complete.filter(({ isAmongReadings }) => !isAmongReadings)).toEqual([])
  })

  it('guesses right for nearly all that index their first arguments, and for half of the others', () => {
    expect(share(results.filter(({ isFirst }) => isFirst))).toBeGreaterThan(0.98)
    expect(share(results.filter(({ isFirst }) => !isFirst))).toBeGreaterThan(0.5)
    expect(share(results)).toBeGreaterThan(0.88)
  })
})

describe('learning from logs', () => {
  const signature = parseEventSignature('Fee(uint256,uint32,address)')
  const alice = `0x${'a1'.repeat(20)}`
  /** The second is indexed: a small number says little by itself. */
  const logs = [300, 70_000, 12, 9_000_000, 4_000, 65_000, 31].map((small, at) =>
    logOf(signature, [1], [10n ** 24n + BigInt(at) * 7_919n ** 5n, small, alice]),
  )

  it('becomes confident with logs that differ, and goes on where it stopped', () => {
    const together = learnIndexed(signature, logs)
    expect(together).toMatchObject({ count: 1, indexed: [1], confident: true })
    const first = learnIndexed(signature, logs.slice(0, 3))
    const second = learnIndexed(signature, logs.slice(3), first)
    expect(second?.readings.map(({ indexed }) => indexed)).toEqual(
      together?.readings.map(({ indexed }) => indexed),
    )
    expect(second?.readings[0]!.bits).toBeCloseTo(together!.readings[0]!.bits)
  })

  it('learns nothing from the same log again and again', () => {
    const [log] = logs
    const once = learnIndexed(signature, [log!])
    expect(learnIndexed(signature, Array(50).fill(log))).toEqual(once)
    expect(learnIndexed(signature, [log!], once)).toEqual(once)
  })

  it('is never confident where types are the same and the values say nothing', () => {
    const same = parseEventSignature('Both(uint256,uint256)')
    const both = [1, 2, 3, 4, 5, 6].map((value) => logOf(same, [1], [value, value + 1]))
    expect(learnIndexed(same, both)).toMatchObject({ confident: false })
  })

  it('is kept as JSON, and decodes the logs that come', () => {
    const learned = learnIndexed(signature, logs)!
    const kept = JSON.parse(JSON.stringify(learned)) as typeof learned
    const log = logOf(signature, [1], [5, 6, alice])
    expect(planDecoding(signature, log, kept)).toEqual({ decode: 'inferred', indexed: [1] })
  })

  it('infers what one log leaves open, once logs together exclude all but one reading', () => {
    const paid = parseEventSignature('Paid(uint256,address)')
    const paidOf = (amount: bigint) => logOf(paid, [0], [amount, alice])
    const open = paidOf(10n)
    expect(planDecoding(paid, open)).toMatchObject({ decode: 'ambiguous' })
    const learned = learnIndexed(paid, [open, paidOf(1n << 200n)])!
    expect(isSettled(learned)).toBe(true)
    expect(planDecoding(paid, open, learned)).toEqual({ decode: 'inferred', indexed: [0] })
  })

  it('does not infer from a state that was stored without every reading', () => {
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

  it('is not used for a log that contradicts it, nor while it is not confident, nor for another count', () => {
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

  it('says nothing where no log leaves a choice, and leaves out what fits nothing', () => {
    expect(learnIndexed(signature, [])).toBeUndefined()
    expect(learnIndexed(signature, [logOf(signature, [0, 1, 2], [1, 2, alice])])).toBeUndefined()
    const odd = { topics: [signature.topic0, logs[0]!.topics[1]!], data: '0x' }
    expect(learnIndexed(signature, [odd, ...logs])).toMatchObject({ indexed: [1], confident: true })
  })
})
