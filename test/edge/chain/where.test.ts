import { AbiCoder, id as hashOf } from 'ethers'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readChainEventConfig } from '../../../edge/chain/chain-event-config.ts'
import { matchesFilter } from '../../../edge/chain/matching/log-matching.ts'
import { toApiError } from '../../../edge/http/failure.ts'
import { parseWhere, whereTexts } from '../../../shared/wire/where-text.ts'

const TOKEN = `0x${'a1'.repeat(20)}`
const FRIEND = '0xdAC17F958D2ee523a2206206994597C13D831ec7'
const OTHER = `0x${'0b'.repeat(20)}`
const TRANSFER = 'Transfer(address indexed from, address indexed to, uint256 value)'
const coder = AbiCoder.defaultAbiCoder()
const topicOf = (address: string) => `0x${address.slice(2).toLowerCase().padStart(64, '0')}`

const filterOf = (event_signature: string, where: unknown, more = {}) =>
  readChainEventConfig({
    chain: 'base',
    contract_address: TOKEN,
    event_signature,
    where,
    ...more,
  }).filter

const transferLog = (to: string, value: bigint) => ({
  address: TOKEN,
  topics: [hashOf('Transfer(address,address,uint256)'), topicOf(OTHER), topicOf(to)],
  data: coder.encode(['uint256'], [value]),
})

/** Returns true if the filter matches a log with these values, none of which is indexed. */
function matches(types: string, values: unknown[], where: unknown): boolean {
  const names = types.split(',')
  const log = {
    address: TOKEN,
    topics: [hashOf(`E(${types})`)],
    data: coder.encode(names, values),
  }
  return matchesFilter(filterOf(`E(${types})`, where), log)
}

describe('conditions on decoded values', () => {
  it('all have to hold', () => {
    const filter = filterOf(TRANSFER, { value: { gte: '100', lt: '200' }, to: { eq: FRIEND } })
    const results = [
      transferLog(FRIEND, 100n),
      transferLog(FRIEND, 199n),
      transferLog(FRIEND, 200n),
      transferLog(FRIEND, 99n),
      transferLog(OTHER, 150n),
    ].map((log) => matchesFilter(filter, log))
    expect(results).toEqual([true, true, false, false, false])
  })

  it.each<[string, string, unknown, object, boolean]>([
    ['an integer', 'uint8', 7, { eq: '7' }, true],
    ['an integer in a list', 'uint8', 7, { in: ['6', 7] }, true],
    ['an integer outside a list', 'uint8', 7, { not_in: ['6', '7'] }, false],
    ['the largest integer', 'uint256', 2n ** 256n - 1n, { gt: String(2n ** 256n - 2n) }, true],
    ['a negative integer', 'int64', -5, { lt: '-4' }, true],
    ['a negative integer above a bound', 'int64', -5, { gt: '-5' }, false],
    ['an equal bound', 'int64', -5, { lte: '-5' }, true],
    ['an address in another case', 'address', FRIEND, { eq: FRIEND.toLowerCase() }, true],
    ['a bool', 'bool', true, { eq: true }, true],
    ['a bool as text', 'bool', false, { eq: 'true' }, false],
    ['bytes', 'bytes4', '0xabcdef01', { in: ['0xABCDEF01'] }, true],
    ['other bytes', 'bytes4', '0xabcdef02', { eq: '0xabcdef01' }, false],
    ['a text', 'string', 'Hello, "you"', { eq: 'Hello, "you"' }, true],
    ['a text in another case', 'string', 'hello', { eq: 'Hello' }, false],
  ])('compare %s', (_, type, value, condition, expected) => {
    expect(matches(type, [value], { arg0: condition })).toBe(expected)
  })

  it('agree with comparisons of bigints', () => {
    const bits = fc.bigInt({ min: -(2n ** 255n), max: 2n ** 255n - 1n })
    fc.assert(
      fc.property(bits, bits, (value, bound) => {
        const holds = (operator: string) =>
          matches('int256', [value], { arg0: { [operator]: String(bound) } })
        expect(['gt', 'gte', 'lt', 'lte', 'eq'].map(holds)).toEqual([
          value > bound,
          value >= bound,
          value < bound,
          value <= bound,
          value === bound,
        ])
      }),
      { numRuns: 100 },
    )
  })

  it('compare the hash of an indexed string', () => {
    const log = { address: TOKEN, topics: [hashOf('Said(string)'), hashOf('hello')], data: '0x' }
    const said = (where: object) =>
      matchesFilter(filterOf('Said(string indexed words)', where), log)
    expect(said({ words: { eq: 'hello' } })).toBe(true)
    expect(said({ words: { in: ['a', 'b'] } })).toBe(false)
    expect(said({ words: { not_in: ['hello'] } })).toBe(false)
    expect(said({ words: { not_in: ['goodbye'] } })).toBe(true)
  })

  it('hold for a log that can be read in several ways if they hold for one of them', () => {
    const log = {
      address: TOKEN,
      topics: [hashOf('Handed(address,address)'), topicOf(FRIEND)],
      data: coder.encode(['address'], [OTHER]),
    }
    const handed = (where: object) => matchesFilter(filterOf('Handed(address,address)', where), log)
    expect([handed({ arg0: { eq: FRIEND } }), handed({ arg1: { eq: FRIEND } })]).toEqual([
      true,
      true,
    ])
    expect(handed({ arg0: { eq: TOKEN } })).toBe(false)
    expect(handed({ arg0: { eq: FRIEND }, arg1: { eq: FRIEND } })).toBe(false)
  })

  it('never hold for a log that does not match the signature', () => {
    const log = { ...transferLog(FRIEND, 5n), data: '0x' }
    expect(matchesFilter(filterOf(TRANSFER, { value: { not_in: ['1'] } }), log)).toBe(false)
  })

  it('become topics where they select values of indexed arguments', () => {
    const to = [topicOf(FRIEND), topicOf(OTHER)]
    const where = { to: { in: [FRIEND, OTHER] }, value: { gt: '1' } }
    expect(filterOf(TRANSFER, where).topics).toEqual([null, to])
    expect(filterOf(TRANSFER, { to: { not_in: [FRIEND] } }).topics).toEqual([])
    expect(filterOf(TRANSFER.replaceAll(' indexed', ''), where).topics).toEqual([])
    const topic_filters = [null, topicOf(FRIEND)]
    const both = filterOf(TRANSFER, { to: { eq: OTHER } }, { topic_filters })
    expect(both.topics).toEqual([null, [topicOf(FRIEND)]])
    expect(matchesFilter(both, transferLog(FRIEND, 5n))).toBe(false)
    const signed = filterOf('Moved(int8 indexed by)', { by: { eq: '-1' } })
    expect(signed.topics).toEqual([[`0x${'f'.repeat(64)}`]])
  })
})

describe('invalid conditions', () => {
  const many = Array.from({ length: 101 }, (_, at) => String(at))
  it.each<[string, string, unknown, string]>([
    ['a text', TRANSFER, 'value > 5', 'config.where: expected an object'],
    ['an array', TRANSFER, [], 'config.where: expected an object'],
    [
      'an unknown argument',
      TRANSFER,
      { amount: { eq: '1' } },
      'config.where.amount: the event has no such argument. Use one of from, to, value.',
    ],
    ['an argument past the last', TRANSFER, { arg3: { eq: '1' } }, 'config.where.arg3: the event'],
    [
      'a property of objects',
      TRANSFER,
      { constructor: { eq: '1' } },
      'where.constructor: the event',
    ],
    ['a repeated name', 'E(uint8 a, uint8 a)', { a: { eq: '1' } }, 'where.a: several arguments'],
    ['no operator', TRANSFER, { value: {} }, 'config.where.value: expected an object'],
    ['a bare value', TRANSFER, { value: '5' }, 'config.where.value: expected an object'],
    ['an unknown operator', TRANSFER, { value: { ne: '5' } }, 'where.value.ne: unknown operator'],
    [
      'an order of addresses',
      TRANSFER,
      { to: { gt: FRIEND } },
      'where.to.gt: address has no order',
    ],
    ['a fraction', TRANSFER, { value: { eq: 1.5 } }, 'where.value.eq: expected an integer'],
    [
      'an unsafe number',
      TRANSFER,
      { value: { eq: 2 ** 60 } },
      'where.value.eq: expected an integer',
    ],
    ['hex for an integer', TRANSFER, { value: { eq: '0x10' } }, 'where.value.eq: expected an int'],
    [
      'a negative uint',
      TRANSFER,
      { value: { eq: '-1' } },
      'where.value.eq: out of range for uint256',
    ],
    [
      'a large uint8',
      'E(uint8)',
      { arg0: { in: ['1', '256'] } },
      'arg0.in[1]: out of range for uint8',
    ],
    ['a small int8', 'E(int8)', { arg0: { eq: '-129' } }, 'where.arg0.eq: out of range for int8'],
    ['a short address', TRANSFER, { to: { in: [FRIEND, '0x12'] } }, 'where.to.in[1]: expected 0x'],
    [
      'a number for a bool',
      'E(bool)',
      { arg0: { eq: 1 } },
      'where.arg0.eq: expected true or false',
    ],
    ['long bytes', 'E(bytes4)', { arg0: { eq: '0x0011223344' } }, 'expected 0x followed by 8 hex'],
    ['a number for a string', 'E(string)', { arg0: { eq: 1 } }, 'where.arg0.eq: expected a string'],
    ['an array of values for eq', TRANSFER, { to: { eq: [FRIEND] } }, 'where.to.eq: expected 0x'],
    ['one value for in', TRANSFER, { to: { in: FRIEND } }, 'where.to.in: expected an array of 1'],
    ['an empty list', TRANSFER, { value: { in: [] } }, 'where.value.in: expected an array of 1'],
    [
      '101 values',
      TRANSFER,
      { value: { in: many } },
      'where.value.in: expected an array of 1 to 100',
    ],
    ['bytes of any length', 'E(bytes)', { arg0: { eq: '0x' } }, 'arg0: bytes cannot be compared'],
    ['an array argument', 'E(uint8[])', { arg0: { eq: '1' } }, 'arg0: uint8[] cannot be compared'],
    ['a tuple', 'E((uint8,bool))', { arg0: { eq: '1' } }, 'arg0: (uint8,bool) cannot be compared'],
    [
      'more than 16 KiB',
      'E(string)',
      { arg0: { eq: 'x'.repeat(16 * 1024) } },
      'bytes exceed the limit of 16384',
    ],
  ])('are rejected with the field: %s', (_, signature, where, words) => {
    let said: string | undefined
    try {
      filterOf(signature, where)
    } catch (error) {
      const { message, fix } = toApiError(error)
      said = `${message} ${fix}`
    }
    expect(said).toContain(words)
  })

  it('denial of service: a log costs one decoding, whatever number of triggers have conditions on it', () => {
    const log = { ...transferLog(FRIEND, 5n), topics: [...transferLog(FRIEND, 5n).topics] }
    let reads = 0
    const counted = new Proxy(log, {
      get: (target, key, self) => {
        if (key === 'data') reads++
        return Reflect.get(target, key, self)
      },
    })
    for (let n = 0; n < 50; n++)
      matchesFilter(filterOf(TRANSFER, { value: { gt: String(n) } }), counted)
    const once = reads
    expect(once).toBeGreaterThan(0)
    expect(once).toBeLessThan(10)
  })
})

describe('conditions as text', () => {
  it('are parsed', () => {
    const texts = ['value>=100', ' value < 200 ', 'to = 0xab, 0xcd', 'from!=0x01', 'said = "a, b"']
    expect(parseWhere(texts)).toEqual({
      where: {
        value: { gte: '100', lt: '200' },
        to: { in: ['0xab', '0xcd'] },
        from: { not_in: ['0x01'] },
        said: { eq: 'a, b' },
      },
    })
  })

  it.each([
    ['value', 'is not a condition'],
    ['value ~ 5', 'is not a condition'],
    ['= 5', 'is not a condition'],
    ['value =', 'is not a condition'],
    ['value = "a', 'is not a condition'],
    ['value = 1,,2', 'is not a condition'],
    ['value > 1, 2', '> takes one value'],
  ])('reports a problem with %j', (text, words) => {
    expect(parseWhere([text])).toEqual({ problem: expect.stringContaining(words) })
  })

  it('reports a repeated condition', () => {
    expect(parseWhere(['a = 1', 'a = 2, 3'])).toEqual({
      problem: '"a = 2, 3": a already has a condition with =',
    })
  })

  it('return the same conditions when they are formatted and parsed', () => {
    const name = fc.stringMatching(/^[A-Za-z_$][A-Za-z0-9_$]{0,8}$/)
    const operators = fc.uniqueArray(fc.constantFrom('gt', 'gte', 'lt', 'lte', 'eq'))
    const text = fc.string({ unit: 'binary' })
    const lists = fc.record(
      { in: fc.array(text, { minLength: 2 }), not_in: fc.array(text, { minLength: 1 }) },
      { requiredKeys: ['not_in'] },
    )
    const single = fc.tuple(
      operators.filter((list) => list.length > 0),
      text,
    )
    const conditions = fc.oneof(
      lists,
      single.map(([list, value]) => Object.fromEntries(list.map((one) => [one, value]))),
    )
    fc.assert(
      fc.property(fc.dictionary(name, conditions, { minKeys: 1 }), (where) => {
        expect(parseWhere(whereTexts(where)!)).toEqual({ where })
      }),
    )
  })

  it('do not exist for a config that the API would reject', () => {
    for (const where of [undefined, 'x', { a: 'x' }, { a: { constructor: '1' } }])
      expect(whereTexts(where)).toBeUndefined()
  })
})
