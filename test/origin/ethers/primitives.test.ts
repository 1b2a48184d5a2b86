import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { anyText } from '../../any-text.ts'
import { add, decode, encode, N } from '../../../origin/actions/ethers/cryptography/points.ts'
import { pbkdf2, scrypt } from '../../../origin/actions/ethers/cryptography/key-derivation.ts'
import { CONVERTED_MAX_LENGTH } from '../../../origin/actions/ethers/cryptography/texts.ts'
import { publicKeys } from '../../../origin/actions/ethers/cryptography/secp256k1.ts'
import type { HostFunction } from '../../../origin/actions/host/host-function.ts'
import { primitives } from '../../../origin/actions/host/primitives.ts'
import { IDLE_HOOKS } from '../../../origin/actions/host/run-functions.ts'
import { pbkdf2Sync, scryptSync } from 'node:crypto'
import { sharedPool } from '../actions/sandbox.ts'

const anyInput = fc.oneof(
  // Text is passed only up to its first NUL.
  anyText({ maxLength: 200 }).map((text) => text.split('\0')[0]),
  fc.constantFrom('sha256', 'sha512', 'ripemd160', 'md5', '__proto__', ''),
  fc.uint8Array({ maxLength: 100 }).map((bytes) => Buffer.from(bytes).toString('hex')),
  fc
    .uint8Array({ minLength: 32, maxLength: 32 })
    .map((bytes) => Buffer.from(bytes).toString('hex')),
)
const anyNumber = fc.oneof(
  fc.integer(),
  fc.double(),
  fc.nat(70),
  fc.constantFrom(
    0,
    -0,
    -1,
    NaN,
    Infinity,
    -Infinity,
    2 ** 31,
    2 ** 32,
    2 ** 53,
    2 ** 64,
    1e308,
    0.5,
  ),
)
const anyArgument: Record<string, fc.Arbitrary<unknown>> = {
  text: anyInput,
  number: anyNumber,
  boolean: fc.boolean(),
  bytes: fc.oneof(
    fc.uint8Array({ maxLength: 200 }),
    fc.uint8Array({ minLength: 33, maxLength: 33 }),
    fc.uint8Array({ minLength: 65, maxLength: 65 }),
  ),
}

describe('host primitives called with arbitrary arguments', () => {
  test.each(Object.keys(primitives(() => IDLE_HOOKS)))(
    '%s returns its declared type or throws an Error',
    (name) => {
      let looks = 0
      const hooks = { ...IDLE_HOOKS, mustStop: () => ++looks > 3 }
      const { takes, gives, call } = primitives(() => hooks)[name] as HostFunction
      const args = fc.tuple(...takes.map((kind) => anyArgument[kind] as fc.Arbitrary<unknown>))
      fc.assert(
        fc.property(args, (given) => {
          looks = 0
          let result: unknown
          try {
            result = (call as (...args: unknown[]) => unknown)(...given)
          } catch (error) {
            expect(error).toBeInstanceOf(Error)
            return
          }
          if (gives === 'bytes') expect(result).toBeInstanceOf(Uint8Array)
          else expect(result).toEqual(expect.not.stringContaining('\0'))
        }),
        { numRuns: 300 },
      )
    },
  )
})

test('built-ins replaced by an action cause errors only in that action, and the next run is clean', async () => {
  const broken = await pool.value(`
    function main() {
      const outcomes = []
      const attempt = (call) => { try { outcomes.push(typeof call()) } catch (error) { outcomes.push('thrown') } }
      const key = '0x' + '11'.repeat(32)
      const TYPED = Object.getPrototypeOf(Uint8Array.prototype)
      for (const length of [-1, NaN, 1e9, 2 ** 53, Infinity, 'x', {}, 0.5]) {
        for (const name of ['byteLength', 'byteOffset', 'length']) {
          Object.defineProperty(Uint8Array.prototype, name, { configurable: true, get: () => length })
          attempt(() => ethers.utils.keccak256([1, 2, 3]))
          attempt(() => ethers.utils.sha512('0x1234'))
          attempt(() => ethers.utils.recoverPublicKey(key, key + key.slice(2) + '1b'))
          attempt(() => new ethers.Wallet(key).address)
          delete Uint8Array.prototype[name]
        }
        Object.defineProperty(Uint8Array.prototype, 'buffer', { configurable: true, get: () => length })
        attempt(() => ethers.utils.keccak256([1, 2, 3]))
        attempt(() => ethers.utils.hexlify([1, 2, 3]))
        delete Uint8Array.prototype.buffer
      }
      RegExp.prototype.test = () => true
      String.prototype.match = () => true
      String.prototype.substring = () => ({ toString: () => { throw 1 } })
      attempt(() => ethers.utils.arrayify('zz'))
      attempt(() => new ethers.utils.SigningKey('0x12'))
      return outcomes.length
    }`)
  expect(broken).toBe(8 * 14 + 2)
  expect(await pool.value(`function main() { return ethers.utils.keccak256('0x') }`)).toBe(
    '0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470',
  )
})

const pool = sharedPool({ min: 1, max: 1 })

test('keys derived in chunks of rounds equal those of Node', () => {
  const [password, salt] = [Buffer.from('password'), Buffer.from('salt')]
  for (const [rounds, length] of [
    [20_000, 100],
    [16_385, 64],
    [17_000, 1],
  ] as const)
    for (const name of ['sha256', 'sha512'])
      expect(Buffer.from(pbkdf2(name, password, salt, rounds, length, () => false))).toEqual(
        pbkdf2Sync(password, salt, rounds, length, name),
      )
  for (const [cost, r, p] of [
    [2, 1, 1],
    [1024, 8, 2],
    [16, 3, 5],
  ] as const)
    expect(Buffer.from(scrypt(password, salt, { N: cost, r, p, length: 64 }, () => false))).toEqual(
      scryptSync(password, salt, 64, { N: cost, r, p }),
    )
})

test('own point addition agrees with the library’s sums of keys', () => {
  const scalar = fc.oneof(fc.bigInt({ min: 1n, max: N - 1n }), fc.bigInt({ min: 1n, max: 9n }))
  const hexOf = (value: bigint) => value.toString(16).padStart(64, '0')
  const pointOf = (value: bigint) =>
    value % N === 0n
      ? undefined
      : decode(Buffer.from(publicKeys(hexOf(value % N)).slice(0, 130), 'hex'))
  fc.assert(
    fc.property(scalar, fc.oneof(scalar, fc.constant(0n)), (a, b) => {
      // The second is often the first or its negative, for which the formula differs.
      const other = b === 0n ? N - a : b < 10n ? a : b
      expect(encode(add(pointOf(a), pointOf(other)), true)).toBe(encode(pointOf(a + other), true))
    }),
    { numRuns: 200 },
  )
})

// Each length has its own run, because a long computation gets little time on a busy machine.
test.each([-4, -3, -2, -1, 0, 1, 2, 4])(
  'hex and text conversions agree at the length limit of the host %i',
  async (by) => {
    const agrees = await pool.value(
      `function main(n) {
        const hex = '0x' + 'ab'.repeat(n >> 1)
        const bytes = ethers.utils.arrayify(hex)
        return (
          bytes.length === n >> 1 && bytes.every((byte) => byte === 0xab) &&
          ethers.utils.hexlify(bytes) === hex &&
          ethers.utils.keccak256(hex) === ethers.utils.keccak256(bytes) &&
          ethers.utils.toUtf8Bytes('x'.repeat(n)).length === n
        )
      }`,
      CONVERTED_MAX_LENGTH + by,
    )
    expect(agrees).toBe(true)
  },
)
