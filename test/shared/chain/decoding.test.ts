import { AbiCoder, concat, getAddress, id, toBeHex, zeroPadBytes } from 'ethers'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeLog } from '../../../edge/chain/decoding/decode-log.ts'
import { toChainEvent } from '../../../edge/chain/decoding/chain-event.ts'
import { planDecoding } from '../../../edge/chain/decoding/plan-decoding.ts'
import { parseEventSignature } from '../../../edge/chain/signature/parse-event-signature.ts'
import { isHashedInTopic } from '../../../edge/chain/signature/type-size.ts'
import { anyType } from './any-type.ts'
import { logOf, marksOf, type SomeLog } from './some-logs.ts'

const ALICE = getAddress(`0x${'a1'.repeat(20)}`)
const BOB = getAddress(`0x${'b0'.repeat(20)}`)
const word = (value: bigint | number) => toBeHex(value, 32)
const coded = (types: string[], values: unknown[]) =>
  AbiCoder.defaultAbiCoder().encode(types, values)

/** Decodes a log as for the input of a run. */
function decoded(text: string, log: SomeLog) {
  const signature = parseEventSignature(text)
  return decodeLog(signature, log, planDecoding(signature, log))
}

/** Builds a log of an event, with the marked arguments as topics. */
function emitted(text: string, values: unknown[]): SomeLog {
  const signature = parseEventSignature(text)
  return logOf(signature, marksOf(signature), values)
}

const logWith = (text: string, data: string, ...topics: string[]): SomeLog => ({
  topics: [parseEventSignature(text).topic0, ...topics],
  data,
})

describe('decoded values', () => {
  it('equal those of ethers for any types, values and choice of indexed arguments', () => {
    const someEvent = fc.array(anyType(), { maxLength: 6 }).chain((types) =>
      fc.record({
        types: fc.constant(types),
        values: fc.tuple(...types.map(({ value }) => value)),
        marks: fc.subarray([...types.keys()], { maxLength: Math.min(3, types.length) }),
      }),
    )
    fc.assert(
      fc.property(someEvent, ({ types, values, marks }) => {
        const args = types.map(({ text }, at) => (marks.includes(at) ? `${text} indexed` : text))
        const signature = parseEventSignature(`event Some(${args.join(',')})`)
        const given = values.map((value) => value.given)
        const log = logOf(signature, marks, given)
        const hashed = marks.filter((at) => isHashedInTopic(signature.inputs[at]!.type))
        const expected = values.map((value, at) =>
          hashed.includes(at) ? log.topics[1 + marks.indexOf(at)] : value.decoded,
        )
        expect(decodeLog(signature, log, { decode: 'exact', indexed: marks })).toEqual({
          decode: 'exact',
          decoded: Object.fromEntries(expected.map((value, at) => [`arg${at}`, value])),
          indexed: marks,
          indexed_hash: hashed.map((at) => `arg${at}`),
        })
      }),
      { numRuns: 400 },
    )
  })

  it('are decimal strings with sign for integers, in topics and data', () => {
    const text = 'event A(int24 indexed tick, uint256 indexed id, int256 delta, uint8 small)'
    const values = [-887272, 2n ** 256n - 1n, -(2n ** 255n), 7]
    expect(decoded(text, emitted(text, values)).decoded).toEqual({
      arg0: '-887272',
      arg1: String(2n ** 256n - 1n),
      arg2: String(-(2n ** 255n)),
      arg3: '7',
    })
  })

  it('are hashes for indexed arguments of dynamic types, and listed as such', () => {
    const text = 'event A(string indexed name, uint256 id, uint8[] indexed list)'
    const log = emitted(text, ['vitalik', 1, [1, 2]])
    expect(decoded(text, log)).toMatchObject({
      decoded: { arg0: log.topics[1], arg1: '1', arg2: log.topics[2] },
      indexed: [0, 2],
      indexed_hash: ['arg0', 'arg2'],
    })
  })

  it('are hex for a string that is not UTF-8', () => {
    const data = coded(['bytes'], ['0x66ff6f'])
    expect(decoded('A(string)', logWith('A(string)', data)).decoded).toEqual({ arg0: '0x66ff6f' })
  })

  it('keep the exact bytes of a text, including a byte order mark', () => {
    const data = coded(['string'], ['\ufeffa\0b'])
    expect(decoded('A(string)', logWith('A(string)', data)).decoded).toEqual({
      arg0: '\ufeffa\0b',
    })
  })

  it('are read from data without final padding or with trailing bytes', () => {
    const data = coded(['bytes'], ['0x1234'])
    for (const other of [data.slice(0, -60), concat([data, '0xff'])])
      expect(decoded('A(bytes)', logWith('A(bytes)', other)).decoded).toEqual({ arg0: '0x1234' })
  })
})

describe('data that does not fit the types', () => {
  const reason = (text: string, data: string, ...topics: string[]) => {
    const found = decoded(text, logWith(text, data, ...topics))
    expect(found).toMatchObject({ decode: 'raw', decoded: null, indexed: null, indexed_hash: [] })
    return found.decode_error
  }

  it.each([
    ['an address with bits above it', 'A(address)', word(1n << 160n)],
    ['a bool that is 2', 'A(bool)', word(2)],
    ['a small integer with bits above it', 'A(uint8)', word(256)],
    ['a positive integer where its sign goes on', 'A(int8)', word(128)],
    ['a negative integer with a wrong sign', 'A(int8)', word((1n << 256n) - 129n)],
    ['bytes with more behind them', 'A(bytes4)', zeroPadBytes('0x1234567801', 32)],
  ])('is raw: %s', (_, text, data) => {
    expect(reason(text, data)).toMatch(/^arg0: 0x[\da-f]{64} is no /)
    expect(reason(text.replace(')', ' indexed)'), '0x', data)).toMatch(/^arg0: 0x/)
  })

  it.each([
    ['no data', 'A(uint256)', '0x'],
    ['half a word', 'A(uint256)', `0x${'00'.repeat(31)}`],
    ['an offset behind the data', 'A(bytes)', word(32)],
    ['an offset beyond all numbers', 'A(bytes)', word((1n << 256n) - 1n)],
    ['a length behind the data', 'A(bytes)', concat([word(32), word(33), word(0)])],
    ['an array longer than the data', 'A(uint8[])', concat([word(32), word(2), word(1)])],
    ['an array of 2^255 elements', 'A(uint8[])', concat([word(32), word(1n << 255n)])],
    ['a fixed array longer than the data', 'A(uint8[4096])', word(0)],
  ])('is raw with %s', (_, text, data) => {
    expect(reason(text, data)).toMatch(/^arg0: /)
  })

  it('is raw if it is not hex', () => {
    for (const data of ['', '0x1', '0xzz', `0x${'zz'.repeat(32)}`])
      expect(reason('A(uint256)', data)).toContain('not hex')
    expect(reason('A(uint256 indexed)', '0x', '0x01')).toContain('not hex')
  })

  it('never causes an exception, whatever the log', () => {
    const someWord = fc.oneof(
      fc.integer({ min: 0, max: 12 }).map((words) => word(words * 32)),
      fc.integer({ min: 0, max: 5 }).map(word),
      fc
        .uint8Array({ minLength: 32, maxLength: 32 })
        .map((array) => `0x${Buffer.from(array).toString('hex')}`),
    )
    const someArgs = fc.array(anyType(), { minLength: 1, maxLength: 5 })
    fc.assert(
      fc.property(
        someArgs,
        fc.array(someWord, { maxLength: 12 }),
        fc.array(someWord, { maxLength: 3 }),
        (types, data, topics) => {
          const text = `A(${types.map(({ canonical }) => canonical).join(',')})`
          const found = decoded(text, logWith(text, concat(data), ...topics))
          expect(found.decode === 'raw').toBe(found.decoded === null)
        },
      ),
      { numRuns: 1_000 },
    )
  })
})

describe('a log that is expensive to decode', () => {
  it('is raw if its arrays all point to the same place, instead of expanding to gigabytes', () => {
    const type = `uint256${'[]'.repeat(8)}`
    // Each level has 100 elements that are all the next level: 100^8 integers in 26 KB.
    const level = [word(100), ...Array.from({ length: 100 }, () => word(100 * 32))]
    const data = concat([word(32), ...Array.from({ length: 8 }, () => level).flat()])
    const found = decoded(`A(${type})`, logWith(`A(${type})`, data))
    expect(found.decode_error).toMatch(/overlap|longer than the data/)
  })

  it('is raw if all members of a tuple are the same text', () => {
    const type = `(${Array(20).fill('string').join(',')})`
    const text = coded(['bytes'], [`0x${'61'.repeat(3_200)}`]).slice(66)
    const data = concat([word(32), ...Array.from({ length: 20 }, () => word(640)), `0x${text}`])
    const found = decoded(`A(${type})`, logWith(`A(${type})`, data))
    expect(found.decode_error).toContain('overlap')
  })

  it('is raw without excessive work if an array claims to be long in each of thousands of readings', () => {
    const members = [...Array<string>(100).fill('uint8'), 'string'].join()
    const text = `Some(${'uint256,'.repeat(29)}(${members})[],uint8,uint8)`
    // In every reading the offset of the array is valid and its length spans the data, but its first element is
    // invalid.
    const [heads, length] = [29, 20_000]
    const head = word(heads * 32)
      .repeat(heads)
      .replaceAll('0x', '')
    const data = `0x${head}${word(length).slice(2)}${word(1).slice(2).repeat(length)}`
    expect(decoded(text, logWith(text, data, word(0), word(0), word(0)))).toMatchObject({
      decode: 'raw',
    })
  })

  it('is raw with a hint if its signature has 32 arguments', () => {
    const text = `A(${Array(32).fill('uint256').join(',')})`
    const data = concat(Array.from({ length: 29 }, () => word(1)))
    const found = decoded(text, logWith(text, data, word(1), word(1), word(1)))
    expect(found.decode_error).toBe(
      'the log can be decoded in too many ways; mark the indexed arguments',
    )
  })
})

describe('the choice of indexed arguments', () => {
  const plan = (text: string, log: SomeLog) => planDecoding(parseEventSignature(text), log)

  it('is exact if they are marked', () => {
    const text = 'event A(uint256 a, uint256 indexed b, uint256 c)'
    expect(plan(text, emitted(text, [1, 2, 3]))).toEqual({ decode: 'exact', indexed: [1] })
  })

  it('is exact if the topics only allow none or all', () => {
    const text = 'A(uint256,address)'
    const signature = parseEventSignature(text)
    expect(plan(text, logOf(signature, [], [1, ALICE]))).toEqual({ decode: 'exact', indexed: [] })
    expect(plan(text, logOf(signature, [0, 1], [1, ALICE]))).toEqual({
      decode: 'exact',
      indexed: [0, 1],
    })
  })

  it('is exact for a known event, by the number of topics: ERC-20 and ERC-721', () => {
    const text = 'Transfer(address,address,uint256)'
    const signature = parseEventSignature(text)
    const values = [ALICE, BOB, 5]
    expect(plan(text, logOf(signature, [0, 1], values))).toEqual({
      decode: 'exact',
      indexed: [0, 1],
    })
    expect(plan(text, logOf(signature, [0, 1, 2], values))).toEqual({
      decode: 'exact',
      indexed: [0, 1, 2],
    })
  })

  it('ignores the layout of a known event if the log contradicts it', () => {
    const text = 'Swap(address,uint256,uint256,uint256,uint256,address)'
    const log = logOf(parseEventSignature(text), [1, 5], [ALICE, 1n << 200n, 0, 0, 9, BOB])
    expect(plan(text, log)).toMatchObject({ decode: 'ambiguous', indexed: [1, 5] })
  })

  it('is inferred if only one choice fits an unknown event', () => {
    const text = 'Bid(uint256,bool,uint32,bytes4)'
    const log = logOf(parseEventSignature(text), [0, 2], [10n ** 18n, true, 7, '0x12345678'])
    expect(plan(text, log)).toEqual({ decode: 'inferred', indexed: [0, 2] })
    expect(decoded(text, log).decoded).toEqual({
      arg0: '1000000000000000000',
      arg1: true,
      arg2: '7',
      arg3: '0x12345678',
    })
  })

  it('is ambiguous if several choices fit, with the best guess and every reading', () => {
    const text = 'Bid(uint256,address)'
    const log = logOf(parseEventSignature(text), [1], [10n ** 18n, ALICE])
    const right = { decoded: { arg0: '1000000000000000000', arg1: ALICE }, indexed: [1] }
    const wrong = {
      decoded: { arg0: String(BigInt(ALICE)), arg1: getAddress(toBeHex(10n ** 18n, 20)) },
      indexed: [0],
    }
    expect(decoded(text, log)).toEqual({
      decode: 'ambiguous',
      ...right,
      indexed_hash: [],
      readings: [
        { ...right, indexed_hash: [] },
        { ...wrong, indexed_hash: [] },
      ],
    })
  })

  it('excludes dynamic arguments for a topic that cannot be a hash', () => {
    const text = 'Named(string,uint64,uint256[])'
    const log = logOf(parseEventSignature(text), [1], ['a name', 7, []])
    expect(plan(text, log)).toEqual({ decode: 'inferred', indexed: [1] })
    const hashed = logOf(parseEventSignature(text), [0], ['a name', 7, []])
    expect(plan(text, hashed)).toEqual({ decode: 'inferred', indexed: [0] })
  })

  it('is ambiguous for an event with two published layouts, which come first among the readings', () => {
    // Two versions of Venus declare the event in these two ways.
    const text = 'DebtMoved(address,address,uint256,address,address,uint256)'
    const values = [ALICE, BOB, 1n << 90n, ALICE, BOB, 1n << 91n]
    for (const indexed of [
      [0, 1, 4],
      [0, 3, 4],
    ]) {
      const found = plan(text, logOf(parseEventSignature(text), indexed, values))
      if (found.decode !== 'ambiguous') throw new Error(`it is ${found.decode}`)
      expect(
        found.readings
          .slice(0, 2)
          .map((each) => each.join(''))
          .toSorted(),
      ).toEqual(['014', '034'])
    }
  })

  it('returns as many readings as a run can hold, and the number of omitted ones', () => {
    const text = `Many(${Array(8).fill('uint256').join()})`
    const log = logOf(parseEventSignature(text), [0, 1, 2], [1, 2, 3, 4, 5, 6, 7, 8])
    expect(decoded(text, log)).toMatchObject({ decode: 'ambiguous', readings_omitted: 36 })
    expect(decoded(text, log).readings).toHaveLength(20)
    const long = 'Long(address,address,bytes)'
    const large = logOf(parseEventSignature(long), [0], [ALICE, BOB, `0x${'ab'.repeat(20_000)}`])
    const { readings, readings_omitted } = decoded(long, large)
    expect([readings!.length, readings_omitted]).toEqual([1, 1])
  })

  it('is raw if the number of marks differs from the topics', () => {
    const text = 'event Transfer(address indexed from, address to, uint256 value)'
    const log = logOf(parseEventSignature(text), [0, 1], [ALICE, BOB, 5])
    expect(plan(text, log)).toEqual({
      decode: 'raw',
      reason:
        'the log has 3 topics, that is 2 indexed arguments, but the signature marks 1 argument',
    })
  })

  it('is raw if the marks have the right count but wrong positions', () => {
    const right = 'event A(bytes data, uint256 indexed id)'
    const wrong = 'event A(bytes indexed data, uint256 id)'
    expect(decoded(wrong, emitted(right, ['0x1234', 7]))).toMatchObject({
      decode: 'raw',
      decode_error: 'the data goes on behind its last argument',
    })
  })

  it('is raw with more topics than arguments, or for another event', () => {
    const { topic0 } = parseEventSignature('A(bool)')
    expect(plan('A(bool)', { topics: [topic0, word(0), word(0)], data: '0x' })).toMatchObject({
      reason:
        'the log has 3 topics, that is 2 indexed arguments, but the signature has 1 argument in total',
    })
    for (const topics of [[id('B(bool)')], []])
      expect(plan('A(bool)', { topics, data: '0x' })).toMatchObject({ decode: 'raw' })
  })

  it('is raw with the reason if nothing fits', () => {
    const text = 'A(bool,address)'
    const log = logWith(text, word(1n << 255n), word(1n << 255n))
    expect(plan(text, log)).toEqual({
      decode: 'raw',
      reason: 'no choice of indexed arguments matches the topics and data',
    })
  })
})

describe('the event that an action receives', () => {
  const text = 'Transfer(address, address, uint256)'
  const signature = parseEventSignature(text)
  const { topics, data } = logOf(signature, [0, 1], [ALICE, BOB, 10n ** 18n])
  const log = {
    address: `0x${'c0'.repeat(20)}`,
    topics,
    data,
    blockNumber: 19_000_000,
    blockHash: id('block'),
    blockTimestamp: 1_705_000_000,
    transactionHash: id('transaction'),
    transactionIndex: 0,
    logIndex: 18,
    ordinal: 0,
  }
  const source = { chain: 'base', chainId: 8453, signatureText: text, signature, log } as const

  it('contains the whole log, decoded and raw', () => {
    expect(toChainEvent({ ...source, plan: planDecoding(signature, log) })).toEqual({
      chain: 'base',
      chain_id: 8453,
      contract_address: getAddress(log.address),
      event_signature: text,
      topic0: signature.topic0,
      topics,
      data,
      decoded: { arg0: ALICE, arg1: BOB, arg2: '1000000000000000000' },
      decode: 'exact',
      indexed: [0, 1],
      indexed_hash: [],
      block_number: 19_000_000,
      block_hash: log.blockHash,
      block_timestamp: 1_705_000_000,
      transaction_hash: log.transactionHash,
      transaction_index: 0,
      log_index: 18,
      raw_log: {
        address: log.address,
        topics,
        data,
        blockNumber: '0x121eac0',
        blockHash: log.blockHash,
        blockTimestamp: '0x65a03c40',
        transactionHash: log.transactionHash,
        transactionIndex: '0x0',
        logIndex: '0x12',
        removed: false,
      },
      removed: false,
    })
  })

  it('keeps the decoding chosen when its run was created, whatever the table contains now', () => {
    for (const decode of ['exact', 'inferred'] as const) {
      const event = toChainEvent({ ...source, plan: { decode, indexed: [0, 2] } })
      expect(event).toMatchObject({
        decode,
        indexed: [0, 2],
        decoded: { arg0: ALICE, arg2: String(BigInt(BOB)) },
      })
      expect(event.readings).toBeUndefined()
    }
  })

  it('has a reason, topics and data if it is not decoded', () => {
    const event = toChainEvent({ ...source, plan: { decode: 'raw', reason: 'nothing fits' } })
    expect(event).toMatchObject({
      decode: 'raw',
      decoded: null,
      indexed: null,
      decode_error: 'nothing fits',
      topics,
      data,
    })
  })
})
