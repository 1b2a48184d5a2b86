import { EventFragment } from 'ethers'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { declared } from '../../../.ci/event-table.ts'
import { parseEventSignature } from '../../../edge/chain/signature/parse-event-signature.ts'
import { EventSignatureError } from '../../../edge/chain/signature/event-signature-error.ts'
import { openzeppelinEvents } from './declared-events.ts'
import { anyType } from './any-type.ts'

const canonical = (text: string) => parseEventSignature(text).canonical

function refusal(text: string): EventSignatureError {
  try {
    parseEventSignature(text)
  } catch (error) {
    if (error instanceof EventSignatureError) return error
    throw error
  }
  throw new Error(`${text} is taken`)
}

describe('the syntax of an event', () => {
  const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'

  it.each([
    'Transfer(address,address,uint256)',
    'Transfer(address, address, uint256)',
    '  Transfer ( address , address , uint ) ; ',
    'event Transfer(address indexed from, address indexed to, uint256 value);',
    'event\n  Transfer(\r\n\taddress payable indexed from,\n address payable to,\n uint256 indexed value\n)',
  ])('accepts %j as a transfer', (text) => {
    expect(parseEventSignature(text)).toMatchObject({
      name: 'Transfer',
      canonical: 'Transfer(address,address,uint256)',
      topic0: TRANSFER,
    })
  })

  it.each([
    ['A()', 'A()'],
    ['A(uint,int,byte)', 'A(uint256,int256,bytes1)'],
    ['A(function f)', 'A(function)'],
    ['A(uint8[3][] a, string[][2] indexed)', 'A(uint8[3][],string[][2])'],
    ['A((uint a, (byte, bool)[2] b)[] indexed c)', 'A((uint256,(bytes1,bool)[2])[])'],
    ['A(tuple(address payable to, tuple(int8) x) y)', 'A((address,(int8)))'],
    ['event event(uint)', 'event(uint256)'],
    ['$_1(bool indexed_)', '$_1(bool)'],
  ])('%j has the canonical form %j', (text, form) => {
    expect(canonical(text)).toBe(form)
  })

  it('includes marks and names of arguments', () => {
    const { inputs, isMarked } = parseEventSignature(
      'event A(address indexed from, uint value, bool)',
    )
    expect(isMarked).toBe(true)
    expect(inputs.map(({ indexed, name }) => [indexed, name])).toEqual([
      [true, 'from'],
      [false, 'value'],
      [false, undefined],
    ])
    expect(parseEventSignature('event A(address from)').isMarked).toBe(false)
  })
})

describe('the canonical form and its hash', () => {
  it.each([
    ['the events of OpenZeppelin', openzeppelinEvents()],
    ['the known events', declared()],
  ])('equal those of ethers for %s', (_, declarations) => {
    expect(declarations.length).toBeGreaterThan(100)
    for (const declaration of declarations) {
      const theirs = EventFragment.from(`event ${declaration.replace(/^event /, '')}`)
      const ours = parseEventSignature(declaration)
      expect([ours.canonical, ours.topic0]).toEqual([theirs.format(), theirs.topicHash])
      expect(ours.inputs.map((input) => input.indexed)).toEqual(
        theirs.inputs.map((input) => input.indexed === true),
      )
    }
  })

  it('equal those of ethers for any types, and the form is canonical itself', () => {
    fc.assert(
      fc.property(fc.array(anyType(), { maxLength: 8 }), (types) => {
        const ours = parseEventSignature(`Some(${types.map(({ text }) => text).join(' , ')})`)
        const theirs = EventFragment.from(`event ${ours.canonical}`)
        expect([theirs.format(), theirs.topicHash]).toEqual([ours.canonical, ours.topic0])
        expect(ours.canonical).toBe(`Some(${types.map((type) => type.canonical).join(',')})`)
        expect(parseEventSignature(ours.canonical)).toEqual(ours)
      }),
      { numRuns: 300 },
    )
  })
})

describe('invalid signatures', () => {
  it.each([
    ['', 0, 'signature is empty', 'Transfer('],
    ['Transfer', 8, '"(" is missing', 'parentheses'],
    ['0xddf252ad', 0, 'start with the event name', 'Transfer('],
    ['A(address', 9, '")" is missing', 'comma'],
    ['A(address,)', 10, 'a type is missing', 'uint256'],
    ['A(address from to)', 15, '")" is missing', 'comma'],
    ['A(uint7)', 2, 'unknown type uint7', 'steps of 8'],
    ['A(uint08)', 2, 'unknown type uint08', 'steps of 8'],
    ['A(bool, bytes33)', 8, 'unknown type bytes33', 'bytes32'],
    ['A(fixed128x18)', 2, 'no compiler', 'uint256'],
    ['A(ufixed)', 2, 'no compiler', 'uint256'],
    ['A(mapping(address => uint))', 18, '"="', 'Transfer('],
    ['A(mapping(address))', 2, 'mapping', 'emitted'],
    ['A(IERC20 indexed token)', 2, 'IERC20', 'address'],
    ['A(IPool.Key key)', 2, 'IPool.', '(address,uint256)'],
    ['A(enum Kind)', 2, 'enum', 'uint8'],
    ['A(struct Order)', 2, 'struct', '(address,uint256)'],
    ['A(contract Token)', 2, 'contract', 'address'],
    ['A(constructor)', 2, 'constructor', 'address'],
    ['A(tuple)', 2, 'members', 'tuple(address,uint256)'],
    ['A(())', 3, 'at least one member', 'types'],
    ['A((uint indexed a))', 8, 'member of a tuple', 'whole tuple'],
    ['A(indexed address a)', 2, 'must follow the type', 'address indexed from'],
    ['A(uint indexed indexed)', 15, 'already indexed', 'once'],
    ['A(string memory s)', 9, 'memory', 'remove it'],
    ['A((string calldata s))', 10, 'calldata', 'remove it'],
    ['A(uint[0])', 7, 'cannot have 0', 'write an integer'],
    ['A(uint[03])', 7, 'cannot have 03', 'write an integer'],
    ['A(uint[99999999999999999999])', 7, 'cannot have', 'write an integer'],
    ['A(uint[n])', 7, '"]" is missing', 'bracket'],
    ['A(uint[4096][4096])', 2, 'too long', '4096 words'],
    ['A(bool a, uint[64][65] b)', 10, 'too long', '4096 words'],
    ['event A(uint a) anonymous;', 16, 'anonymous', 'a trigger cannot'],
    ['function transfer(address,uint)', 0, 'function is not an event', 'event’s declaration'],
    ['A(uint) returns (bool)', 8, 'after the arguments', 'remove it'],
    ['A(uint);;', 8, 'after the arguments', 'remove it'],
    ['A(uint\u00a0a)', 6, 'U+00A0', 'Transfer('],
    ['A(uint😀)', 6, 'U+1F600', 'Transfer('],
    ['A(from: indexed(address))', 6, '":"', 'Transfer('],
    [
      'A(uint indexed,uint indexed,uint indexed,uint indexed)',
      46,
      'at most 3 arguments can be indexed',
      'contract marks',
    ],
  ])('%j at %i: %s', (text, position, problem, fix) => {
    const refused = refusal(text)
    expect(refused).toMatchObject({
      position,
      problem: expect.stringContaining(problem) as string,
      fix: expect.stringContaining(fix) as string,
    })
    expect(refused.message).toContain(refused.problem)
    expect(refused.message).toContain(`at position ${position}`)
  })

  it('are reported with the position', () => {
    expect(refusal('Transfer(address, adress, uint256)').message).toContain(
      'at position 18 ("adress, uint256)")',
    )
    expect(refusal('Transfer(address').message).toContain('(at the end)')
  })

  it('include those with more than 32 arguments', () => {
    const of = (count: number) => `A(${Array(count).fill('bool').join(',')})`
    expect(parseEventSignature(of(32)).inputs).toHaveLength(32)
    expect(refusal(of(33))).toMatchObject({ position: of(32).length })
  })

  it('include those with types nested more than eight deep', () => {
    const tuples = (depth: number) => `A(${'('.repeat(depth)}bool${')'.repeat(depth)})`
    const arrays = (depth: number) => `A((bool)${'[]'.repeat(depth - 1)})`
    for (const of of [tuples, arrays]) {
      expect(canonical(of(8))).toBe(of(8))
      expect(refusal(of(9)).problem).toContain('more than 8 levels deep')
    }
  })

  it('denial of service: long or deeply nested texts are rejected without parsing', () => {
    expect(refusal(`A(${' '.repeat(3_000)})`)).toMatchObject({ position: 2_048 })
    expect(refusal('('.repeat(1_000_000)).problem).toContain('1000000 characters')
    expect(refusal(`A${'('.repeat(2_000)}`).problem).toContain('more than 8 levels deep')
    expect(refusal(`A(bool${'[]'.repeat(1_000)})`).problem).toContain('more than 8 levels deep')
  })

  it('cause no other error, whatever the text', () => {
    const piece = fc.constantFrom(
      ...'A()[],3.;é\0 ',
      'event ',
      'uint',
      'tuple',
      'indexed',
      'address',
      'payable',
      'bytes32',
      '__proto__',
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        const text = pieces.join('')
        try {
          expect(canonical(canonical(text))).toBe(canonical(text))
        } catch (error) {
          expect(error).toBeInstanceOf(EventSignatureError)
          const { position } = error as EventSignatureError
          expect(position >= 0 && position <= text.length).toBe(true)
        }
      }),
      { numRuns: 2_000 },
    )
  })
})
