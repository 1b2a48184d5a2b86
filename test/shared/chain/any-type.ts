/** Random argument types with random values. */
import { getAddress } from 'ethers'
import fc from 'fast-check'

export type AnyType = {
  /** One of the possible spellings. */
  text: string
  canonical: string
  /** Value as given to ethers, and the expected decoded value. */
  value: fc.Arbitrary<{ given: unknown; decoded: unknown }>
}

const hex = (bytes: number) =>
  fc.uint8Array({ minLength: bytes, maxLength: bytes }).map((array) => `0x${hexOf(array)}`)
const hexOf = (array: Uint8Array) => Buffer.from(array).toString('hex')
const same = <Value>(value: fc.Arbitrary<Value>) =>
  value.map((given) => ({ given, decoded: given }))

const bits = fc.integer({ min: 1, max: 32 }).map((bytes) => bytes * 8)
const decimal = (min: bigint, max: bigint) =>
  fc
    .oneof(fc.bigInt({ min, max }), fc.constantFrom(min, max, 0n, 1n))
    .map((given) => ({ given, decoded: String(given) }))

const elementary: fc.Arbitrary<AnyType> = fc.oneof(
  bits.map((size) => {
    const value = decimal(0n, (1n << BigInt(size)) - 1n)
    return { text: size === 256 ? 'uint' : `uint${size}`, canonical: `uint${size}`, value }
  }),
  bits.map((size) => {
    const half = 1n << BigInt(size - 1)
    const canonical = `int${size}`
    return { text: size === 256 ? 'int' : canonical, canonical, value: decimal(-half, half - 1n) }
  }),
  fc.integer({ min: 1, max: 32 }).map((bytes) => {
    const canonical = `bytes${bytes}`
    return { text: bytes === 1 ? 'byte' : canonical, canonical, value: same(hex(bytes)) }
  }),
  fc.constant({
    text: 'address payable',
    canonical: 'address',
    value: hex(20).map((given) => ({ given, decoded: getAddress(given) })),
  }),
  fc.constant({ text: 'bool', canonical: 'bool', value: same(fc.boolean()) }),
  fc.constant({
    text: 'string',
    canonical: 'string',
    value: same(fc.string({ unit: 'grapheme', maxLength: 40 })),
  }),
  fc.constant({
    text: 'bytes',
    canonical: 'bytes',
    value: same(fc.uint8Array({ maxLength: 70 }).map((array) => `0x${hexOf(array)}`)),
  }),
)

const both = (values: readonly { given: unknown; decoded: unknown }[]) => ({
  given: values.map(({ given }) => given),
  decoded: values.map(({ decoded }) => decoded),
})

export function anyType(depth = 2): fc.Arbitrary<AnyType> {
  if (depth === 0) return elementary
  const array = fc
    .tuple(anyType(depth - 1), fc.option(fc.integer({ min: 1, max: 3 })))
    .map(([of, length]) => {
      const suffix = `[${length ?? ''}]`
      const [minLength, maxLength] = length === null ? [0, 3] : [length, length]
      return {
        text: of.text + suffix,
        canonical: of.canonical + suffix,
        value: fc.array(of.value, { minLength, maxLength }).map(both),
      }
    })
  const tuple = fc.array(anyType(depth - 1), { minLength: 1, maxLength: 3 }).map((members) => ({
    text: `tuple( ${members.map(({ text }) => `${text} m`).join(', ')} )`,
    canonical: `(${members.map(({ canonical }) => canonical).join(',')})`,
    value: fc.tuple(...members.map(({ value }) => value)).map(both),
  }))
  return fc.oneof({ weight: 4, arbitrary: elementary }, array, tuple)
}
