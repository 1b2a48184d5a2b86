import { describe, expect, it } from 'vitest'
import { inferIndexed } from '../../../edge/chain/decoding/infer-indexed.ts'
import { KNOWN_DECLARATIONS, knownIndexed } from '../../../edge/chain/decoding/known-events.ts'
import { learnIndexed } from '../../../edge/chain/decoding/learn-indexed.ts'
import { planDecoding } from '../../../edge/chain/decoding/plan-decoding.ts'
import { parseEventSignature } from '../../../edge/chain/signature/parse-event-signature.ts'
import { openzeppelinEvents } from './declared-events.ts'
import { isPartlyIndexed, logOf, marksOf, seeded, someLog, unmarked } from './some-logs.ts'

const known = KNOWN_DECLARATIONS.map(parseEventSignature)
const openzeppelin = openzeppelinEvents().map(parseEventSignature).filter(isPartlyIndexed)
const keyOf = (signature: (typeof known)[number]) =>
  `${signature.canonical} ${marksOf(signature).length}`

describe('the table of known events', () => {
  it('has only events of which the count of topics does not say all, each once', () => {
    expect(known.length).toBeGreaterThan(250)
    expect(known.filter((signature) => !isPartlyIndexed(signature))).toEqual([])
    expect(new Set(known.map(keyOf)).size).toBe(known.length)
  })

  it('says what OpenZeppelin declares, wherever it knows an event of theirs', () => {
    const shared = openzeppelin.filter((signature) =>
      knownIndexed(unmarked(signature), marksOf(signature).length),
    )
    expect(shared.length).toBeGreaterThan(20)
    for (const signature of shared)
      expect([signature.canonical, knownIndexed(signature, marksOf(signature).length)]).toEqual([
        signature.canonical,
        marksOf(signature),
      ])
  })

  it('decodes every event that it has exactly, from types alone', () => {
    const random = seeded(3)
    for (const signature of known) {
      const log = someLog(signature, marksOf(signature), random)
      expect([signature.canonical, planDecoding(unmarked(signature), log)]).toEqual([
        signature.canonical,
        { decode: 'exact', indexed: marksOf(signature) },
      ])
    }
  })

  it('knows nothing by another count, or by names that objects have', () => {
    expect(
      knownIndexed(parseEventSignature('Transfer(address,address,uint256)'), 1),
    ).toBeUndefined()
    expect(knownIndexed(parseEventSignature('constructor(address,bool)'), 1)).toBeUndefined()
  })
})

describe('inference, over the known events and those of OpenZeppelin, without the table', () => {
  const LOGS_EACH = 8
  const corpus = [
    ...new Map([...known, ...openzeppelin].map((each) => [keyOf(each), each])).values(),
  ]
  const random = seeded(9)
  const results = corpus.flatMap((signature) => {
    const marks = marksOf(signature)
    const isFirst = marks.every((index, place) => index === place)
    return Array.from({ length: LOGS_EACH }, () => {
      const log = someLog(signature, marks, random)
      const found = inferIndexed(unmarked(signature), log)
      const learned = learnIndexed(unmarked(signature), [log])
      return {
        isFirst,
        isRight: 'indexed' in found && found.indexed.join() === marks.join(),
        isConfident: learned?.confident === true,
      }
    })
  })
  const share = (of: typeof results) => of.filter(({ isRight }) => isRight).length / of.length

  it('is right for nearly all that index their first arguments, and for half of the others', () => {
    expect(share(results.filter(({ isFirst }) => isFirst))).toBeGreaterThan(0.98)
    expect(share(results.filter(({ isFirst }) => !isFirst))).toBeGreaterThan(0.5)
    expect(share(results)).toBeGreaterThan(0.88)
  })

  it('is right wherever it is confident', () => {
    const confident = results.filter(({ isConfident }) => isConfident)
    expect(confident.length / results.length).toBeGreaterThan(0.6)
    expect(share(confident)).toBe(1)
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
