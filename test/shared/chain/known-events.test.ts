import { getAddress } from 'ethers'
import { describe, expect, it } from 'vitest'
import { declared, digestOf, packages, rowsOf as rowsOfLayouts } from '../../../.ci/event-table.ts'
import { decodeLog } from '../../../edge/chain/decoding/decode-log.ts'
import { knownLayouts } from '../../../edge/chain/decoding/known-events.ts'
import knownEvents from '../../../edge/chain/decoding/known-events.json' with { type: 'json' }
import { planDecoding } from '../../../edge/chain/decoding/plan-decoding.ts'
import type { AbiType, EventSignature } from '../../../edge/chain/signature/event-signature.ts'
import { parseEventSignature } from '../../../edge/chain/signature/parse-event-signature.ts'
import { isHashedInTopic } from '../../../edge/chain/signature/type-size.ts'
import { openzeppelinEvents } from './declared-events.ts'
import { isPartlyIndexed, logOf, marksOf, seeded, someValue, unmarked } from './some-logs.ts'
import { rowsOf, tableEntries } from './table-entries.ts'

const KNOWN_EVENTS = knownEvents.rows
const entries = tableEntries(KNOWN_EVENTS)
const partlyIndexed = entries.filter(isPartlyIndexed)
const keyOf = (signature: EventSignature) => `${signature.canonical} ${marksOf(signature).length}`
const layoutOf = (signature: EventSignature) =>
  `${signature.canonical} ${marksOf(signature).join()}`

/** Declarations from other sources than the table: written by hand from contracts, and OpenZeppelin's ABIs. */
const independent = [...declared(), ...openzeppelinEvents()]
  .map(parseEventSignature)
  .filter(({ inputs }) => inputs.length > 1)

describe('the table of known events', () => {
  it('covers the listed packages, and is small enough for the Worker', () => {
    expect(packages().length).toBeGreaterThan(50)
    expect(packages().filter((name) => !/^(?:@[\w.-]+\/)?[\w.-]+@\d[\w.-]*$/.test(name))).toEqual(
      [],
    )
    expect(rowsOf(KNOWN_EVENTS).length).toBeGreaterThan(2_000)
    expect(partlyIndexed.length).toBeGreaterThan(1_300)
    expect(KNOWN_EVENTS.length).toBeLessThan(100_000)
  })

  it('has unique sorted layouts, and only events with a choice', () => {
    const rows = rowsOf(KNOWN_EVENTS)
    expect(rows).toEqual([...new Set(rows)].toSorted())
    expect(new Set(entries.map(layoutOf)).size).toBe(entries.length)
    expect(new Set(rows.map((row) => row.split(' ')[0])).size).toBe(rows.length)
    expect(entries.filter(({ inputs }) => inputs.length < 2)).toEqual([])
  })

  it('matches the digest from the script, which detects a changed byte', () => {
    expect(knownEvents.sha256).toBe(digestOf(KNOWN_EVENTS))
  })

  it('has every layout of the independent declarations', () => {
    expect(independent.length).toBeGreaterThan(300)
    expect(missingIn(KNOWN_EVENTS)).toEqual([])
  })

  it('differs from the independent declarations if a mark is changed', () => {
    for (let at = 0; at < independent.length; at += 40) {
      const right = rowOf(independent[at]!)
      const wrong = `${right.event} ${right.layout === '0' ? '1' : '0'}`
      const mutant = KNOWN_EVENTS.replace(/.*\n/g, (line) =>
        line.startsWith(`${right.event} `) ? `${wrong}\n` : line,
      )
      expect(mutant).not.toBe(KNOWN_EVENTS)
      expect(missingIn(mutant)).toContain(layoutOf(independent[at]!))
    }
  })

  it('returns nothing for unknown events and for names of object members', () => {
    for (const text of ['Transfer(address,uint256,address)', 'constructor(address,bool)'])
      expect(knownLayouts(parseEventSignature(text))).toEqual([])
  })

  it('has both layouts of an event that published contracts declare differently', () => {
    const canonical = 'DebtMoved(address,address,uint256,address,address,uint256)'
    expect(knownLayouts({ canonical })).toEqual([
      [0, 1, 4],
      [0, 3, 4],
    ])
  })
})

describe('random logs of every event in the table', () => {
  const conflicts = entries.filter(
    (entry) => entries.filter((other) => keyOf(other) === keyOf(entry)).length > 1,
  )
  const decodedOf = (entry: EventSignature, values: readonly unknown[]) => {
    const indexed = marksOf(entry)
    const log = logOf(entry, indexed, values)
    const signature = unmarked(entry)
    const expected = entry.inputs.map(({ type }, index) =>
      indexed.includes(index) && isHashedInTopic(type)
        ? log.topics[1 + indexed.indexOf(index)]
        : decodedForm(type, values[index]),
    )
    return { found: decodeLog(signature, log, planDecoding(signature, log)), expected }
  }

  it('decode to the values encoded by ethers, from the types only', () => {
    const random = seeded(3)
    const certain = entries.filter((entry) => !conflicts.includes(entry))
    expect(certain.length).toBeGreaterThan(2_000)
    for (const entry of certain) {
      const values = entry.inputs.map(({ type }) => someValue(type, random))
      const { found, expected } = decodedOf(entry, values)
      expect([entry.canonical, found.decode, found.indexed]).toEqual([
        entry.canonical,
        'exact',
        marksOf(entry),
      ])
      expect(Object.values(found.decoded!)).toEqual(expected)
    }
  })

  it('include the values among their readings if layouts conflict', () => {
    const random = seeded(4)
    expect(conflicts.length).toBeGreaterThan(1)
    for (const entry of conflicts)
      for (let time = 0; time < 20; time++) {
        const values = entry.inputs.map(({ type }) => someValue(type, random))
        const { found, expected } = decodedOf(entry, values)
        const readings = found.readings ?? [found]
        expect(readings.map(({ decoded }) => Object.values(decoded!))).toContainEqual(expected)
      }
  })
})

/** Converts a value to its form in the input of a run. */
function decodedForm(type: AbiType, value: unknown): unknown {
  switch (type.kind) {
    case 'address':
      return getAddress(String(value))
    case 'uint':
    case 'int':
      return String(value)
    case 'array':
      return (value as unknown[]).map((element) => decodedForm(type.of, element))
    case 'tuple':
      return (value as unknown[]).map((member, at) => decodedForm(type.members[at]!, member))
    case 'bool':
    case 'string':
    case 'bytes':
    case 'fixed_bytes':
      return value
  }
}

function rowOf(signature: EventSignature): { event: string; layout: string } {
  const [row] = rowsOfLayouts([{ canonical: signature.canonical, indexed: marksOf(signature) }])
  const [event, layout] = row!.split(' ')
  return { event: event!, layout: layout! }
}

function missingIn(table: string): string[] {
  const has = new Set(tableEntries(table).map(layoutOf))
  return independent.map(layoutOf).filter((layout) => !has.has(layout))
}
