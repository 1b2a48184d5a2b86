import { AbiCoder } from 'ethers'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyText } from '../../any-text.ts'
import type { AbiValue } from '../../../shared/policies/abi-type.ts'
import { DeniedError } from '../../../shared/policies/denial.ts'
import { FUNCTION_EFFECTS, TYPE_EFFECTS } from '../../../shared/policies/effects.ts'
import {
  type ContractFunction,
  decodeCall,
  parseFunction,
} from '../../../shared/policies/function-signature.ts'
import { knownFunction } from '../../../shared/policies/known-functions.ts'
import { parseEncodedType } from '../../../shared/policies/struct-types.ts'
import { PAYEE } from './requests.ts'

const ethers = AbiCoder.defaultAbiCoder()
const RUNS = 1_500

type Typed = { type: string; value: unknown }

const hex = (bytes: number) =>
  fc
    .array(fc.nat(255), { minLength: bytes, maxLength: bytes })
    .map((list) => `0x${Buffer.from(list).toString('hex')}`)

/** Values of every elementary type. */
const elementary: fc.Arbitrary<Typed>[] = [
  hex(20).map((value) => ({ type: 'address', value })),
  fc.boolean().map((value) => ({ type: 'bool', value })),
  anyText({ maxLength: 40 }).map((value) => ({ type: 'string', value })),
  fc
    .nat(70)
    .chain(hex)
    .map((value) => ({ type: 'bytes', value })),
  fc
    .integer({ min: 1, max: 32 })
    .chain((size) => hex(size).map((value) => ({ type: `bytes${size}`, value }))),
  fc
    .integer({ min: 1, max: 32 })
    .chain((bytes) =>
      fc
        .bigInt(0n, 2n ** BigInt(8 * bytes) - 1n)
        .map((value) => ({ type: `uint${8 * bytes}`, value })),
    ),
  fc
    .integer({ min: 1, max: 32 })
    .chain((bytes) =>
      fc
        .bigInt(-(2n ** BigInt(8 * bytes - 1)), 2n ** BigInt(8 * bytes - 1) - 1n)
        .map((value) => ({ type: `int${8 * bytes}`, value })),
    ),
]

/** Nested tuples, and arrays whose elements repeat one value. */
const typed: fc.Arbitrary<Typed> = fc.letrec<{ any: Typed }>((tie) => ({
  any: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    ...elementary,
    fc.array(tie('any'), { minLength: 1, maxLength: 3 }).map((members) => ({
      type: `(${members.map(({ type }) => type).join(',')})`,
      value: members.map(({ value }) => value),
    })),
    fc.tuple(tie('any'), fc.nat(3), fc.boolean()).map(([{ type, value }, length, isFixed]) => {
      const size = isFixed ? Math.max(length, 1) : length
      return {
        type: `${type}[${isFixed ? size : ''}]`,
        value: Array.from({ length: size }, () => value),
      }
    }),
  ),
})).any

function functionOf(types: readonly string[]): ContractFunction {
  return parseFunction(`f(${types.map((type) => type.replaceAll('(', 'tuple(')).join(', ')})`)
}

/** Undefined if the data is denied. */
function decoded(called: ContractFunction, digits: string): readonly AbiValue[] | undefined {
  try {
    return decodeCall(called, `0x00000000${digits}`)
  } catch (error) {
    if (error instanceof DeniedError) return undefined
    throw error
  }
}

/** True if ethers encodes the values that it decodes to the same data. */
function isCanonical(types: readonly string[], digits: string): boolean {
  try {
    return ethers.encode(types, ethers.decode(types, `0x${digits}`).toArray(true)) === `0x${digits}`
  } catch {
    return false
  }
}

describe('the decoder', () => {
  it('reads what ethers writes', () => {
    fc.assert(
      fc.property(fc.array(typed, { maxLength: 4 }), (values) => {
        const types = values.map(({ type }) => type)
        const given = values.map(({ value }) => value)
        const encoded = ethers.encode(types, given)
        expect(decoded(functionOf(types), encoded.slice(2))).toEqual(given)
      }),
      { numRuns: RUNS },
    )
  })

  it('accepts changed data only if ethers would write it', () => {
    let accepted = 0
    let denied = 0
    fc.assert(
      fc.property(
        fc.array(typed, { minLength: 1, maxLength: 3 }),
        fc.nat(),
        fc.constantFrom('00', '01', '20', '40', '60', '80', 'ff', '-', '+'),
        (values, place, change) => {
          const types = values.map(({ type }) => type)
          const digits = ethers
            .encode(
              types,
              values.map(({ value }) => value),
            )
            .slice(2)
          // Half of the changes hit the last byte of a word, which contains lengths and offsets.
          const byte = place % (digits.length / 2)
          const at = 2 * (place % 2 === 0 ? byte : Math.min(byte | 31, digits.length / 2 - 1))
          const changed =
            change === '-'
              ? digits.slice(0, at) + digits.slice(at + 64)
              : change === '+'
                ? digits.slice(0, at) + '0'.repeat(64) + digits.slice(at)
                : digits.slice(0, at) + change + digits.slice(at + 2)
          const result = decoded(functionOf(types), changed)
          if (result) accepted++
          else denied++
          if (result) expect(isCanonical(types, changed)).toBe(true)
        },
      ),
      { numRuns: RUNS },
    )
    expect(Math.min(accepted, denied)).toBeGreaterThan(RUNS / 20)
  })

  it('flood: does work in proportion to the data, whatever its offsets claim', () => {
    const called = parseFunction('f(bytes[][][] x)')
    const everywhere = '20'.padStart(64, '0').repeat(4_000)
    expect(decoded(called, everywhere)).toBeUndefined()
  })
})

describe('known functions and types', () => {
  it('have different selectors', () => {
    for (const signature of Object.keys(FUNCTION_EFFECTS)) {
      const { selector, canonical } = parseFunction(signature)
      expect(knownFunction(selector)?.canonical).toBe(canonical)
    }
  })

  it('have the selectors that are published', () => {
    const published = {
      '0xa9059cbb': 'transfer(address,uint256)',
      '0x23b872dd': 'transferFrom(address,address,uint256)',
      '0x095ea7b3': 'approve(address,uint256)',
      '0x39509351': 'increaseAllowance(address,uint256)',
      '0xd505accf': 'permit(address,address,uint256,uint256,uint8,bytes32,bytes32)',
      '0x8fcbaf0c': 'permit(address,address,uint256,uint256,bool,uint8,bytes32,bytes32)',
      '0xa22cb465': 'setApprovalForAll(address,bool)',
      '0x42842e0e': 'safeTransferFrom(address,address,uint256)',
      '0xb88d4fde': 'safeTransferFrom(address,address,uint256,bytes)',
      '0xf242432a': 'safeTransferFrom(address,address,uint256,uint256,bytes)',
      '0x2eb2c2d6': 'safeBatchTransferFrom(address,address,uint256[],uint256[],bytes)',
      '0x87517c45': 'approve(address,address,uint160,uint48)',
      '0x36c78516': 'transferFrom(address,address,uint160,address)',
      '0xac9650d8': 'multicall(bytes[])',
      '0x5ae401dc': 'multicall(uint256,bytes[])',
      '0x252dba42': 'aggregate((address,bytes)[])',
      '0x82ad56cb': 'aggregate3((address,bool,bytes)[])',
      '0x8d80ff0a': 'multiSend(bytes)',
      '0x6a761202':
        'execTransaction(address,uint256,bytes,uint8,uint256,uint256,uint256,address,address,bytes)',
      '0x468721a7': 'execTransactionFromModule(address,uint256,bytes,uint8)',
      '0x3593564c': 'execute(bytes,bytes[],uint256)',
      '0x1cff79cd': 'execute(address,bytes)',
      '0xb61d27f6': 'execute(address,uint256,bytes)',
      '0x3659cfe6': 'upgradeTo(address)',
      '0x1f931c1c': 'diamondCut((address,uint8,bytes4[])[],address,bytes)',
      '0xe3ee160e':
        'transferWithAuthorization(address,address,uint256,uint256,uint256,bytes32,uint8,bytes32,bytes32)',
    }
    for (const [selector, canonical] of Object.entries(published))
      expect(knownFunction(selector)?.canonical).toBe(canonical)
  })

  it('have types in the form of EIP-712', () => {
    for (const type of Object.keys(TYPE_EFFECTS)) expect(() => parseEncodedType(type)).not.toThrow()
  })
})

it('an address in a condition is the same in calldata of any case', () => {
  const called = parseFunction('f(address)')
  const digits = PAYEE.slice(2).toLowerCase().padStart(64, '0')
  expect(decoded(called, digits)).toEqual([PAYEE.toLowerCase()])
})
