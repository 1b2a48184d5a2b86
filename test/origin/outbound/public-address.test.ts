import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isPublicAddress } from '../../../origin/actions/outbound/public-address.ts'

type Block = [name: string, network: string, bits: number]

/** IANA IPv4 Special-Purpose Address Registry (2024-10), multicast, and Azure's host address. */
const V4: Block[] = [
  ['this network', '0.0.0.0', 8],
  ['private use 10/8', '10.0.0.0', 8],
  ['shared address space', '100.64.0.0', 10],
  ['loopback', '127.0.0.0', 8],
  ['Azure host', '168.63.129.16', 32],
  ['link-local', '169.254.0.0', 16],
  ['private use 172.16/12', '172.16.0.0', 12],
  ['IETF protocol assignments', '192.0.0.0', 24],
  ['TEST-NET-1', '192.0.2.0', 24],
  ['AS112-v4', '192.31.196.0', 24],
  ['AMT', '192.52.193.0', 24],
  ['6to4 relay anycast', '192.88.99.0', 24],
  ['private use 192.168/16', '192.168.0.0', 16],
  ['direct delegation AS112', '192.175.48.0', 24],
  ['benchmarking', '198.18.0.0', 15],
  ['TEST-NET-2', '198.51.100.0', 24],
  ['TEST-NET-3', '203.0.113.0', 24],
  ['multicast, reserved and broadcast', '224.0.0.0', 3],
]

/** IANA IPv6 Special-Purpose Address Registry (2024-10), and deprecated blocks that systems still support. */
const V6: Block[] = [
  ['unspecified', '::', 128],
  ['loopback', '::1', 128],
  ['IPv4-compatible', '::', 96],
  ['IPv4-mapped', '::ffff:0:0', 96],
  ['IPv4-translated', '::ffff:0:0:0', 96],
  ['translation 64:ff9b::', '64:ff9b::', 96],
  ['local translation', '64:ff9b:1::', 48],
  ['discard-only', '100::', 64],
  ['dummy prefix', '100:0:0:1::', 64],
  ['IETF protocol assignments', '2001::', 23],
  ['Teredo', '2001::', 32],
  ['benchmarking', '2001:2::', 48],
  ['AMT', '2001:3::', 32],
  ['AS112-v6', '2001:4:112::', 48],
  ['ORCHID', '2001:10::', 28],
  ['ORCHIDv2', '2001:20::', 28],
  ['drone remote id', '2001:30::', 28],
  ['documentation', '2001:db8::', 32],
  ['6to4', '2002::', 16],
  ['direct delegation AS112', '2620:4f:8000::', 48],
  ['documentation 3fff::', '3fff::', 20],
  ['segment routing', '5f00::', 16],
  ['unique local', 'fc00::', 7],
  ['link-local', 'fe80::', 10],
  ['site-local', 'fec0::', 10],
  ['multicast', 'ff00::', 8],
]

const value4 = (text: string) =>
  text.split('.').reduce((all, part) => all * 256n + BigInt(part), 0n)
const text4 = (value: bigint) => [24n, 16n, 8n, 0n].map((by) => (value >> by) & 255n).join('.')

function value6(text: string): bigint {
  const [front = '', back] = text.split('::')
  const words = (part: string) =>
    part === '' ? [] : part.split(':').map((word) => BigInt(`0x${word}`))
  const [before, after] = [words(front), words(back ?? '')]
  const zeros = Array<bigint>(8 - before.length - after.length).fill(0n)
  return [...before, ...zeros, ...after].reduce((all, word) => (all << 16n) | word, 0n)
}
const text6 = (value: bigint) =>
  [112n, 96n, 80n, 64n, 48n, 32n, 16n, 0n]
    .map((by) => ((value >> by) & 0xffffn).toString(16))
    .join(':')

type Family = {
  width: bigint
  value: (text: string) => bigint
  text: (value: bigint) => string
  blocks: Block[]
}
const FAMILIES: Record<string, Family> = {
  IPv4: { width: 32n, value: value4, text: text4, blocks: V4 },
  IPv6: { width: 128n, value: value6, text: text6, blocks: V6 },
}

function range({ width, value }: Family, [, network, bits]: Block): [first: bigint, last: bigint] {
  const first = value(network)
  return [first, first + (1n << (width - BigInt(bits))) - 1n]
}

/** The oracle, computed from the registries above and, for IPv6, from the delegated range (2000::/3). */
function isRefused(family: Family, address: bigint): boolean {
  if (family.width === 128n && address >> 125n !== 1n) return true
  return family.blocks.some((block) => {
    const [first, last] = range(family, block)
    return address >= first && address <= last
  })
}

describe.each(Object.entries(FAMILIES))('%s', (_name, family) => {
  const { width, text, blocks } = family

  it.each(blocks)('%s (%s/%i): rejects its first and last address', (...block) => {
    const [first, last] = range(family, block)
    expect([isPublicAddress(text(first)), isPublicAddress(text(last))]).toEqual([false, false])
  })

  it.each(blocks)(
    '%s (%s/%i): rejects adjacent addresses only because of another rule',
    (...block) => {
      const [first, last] = range(family, block)
      for (const beside of [first - 1n, last + 1n]) {
        if (beside < 0n || beside >> width > 0n) continue
        expect([text(beside), isPublicAddress(text(beside))]).toEqual([
          text(beside),
          !isRefused(family, beside),
        ])
      }
    },
  )

  it('an address is public exactly if it is in no registry', () => {
    const anywhere = fc.bigInt({ min: 0n, max: (1n << width) - 1n })
    const inBlock = fc.constantFrom(...blocks).chain((block) => {
      const [min, max] = range(family, block)
      return fc.bigInt({ min, max })
    })
    const global = fc.bigInt({ min: 1n << (width - 3n), max: (1n << (width - 2n)) - 1n })
    fc.assert(
      fc.property(fc.oneof(anywhere, inBlock, global), (address) => {
        expect(isPublicAddress(text(address))).toBe(!isRefused(family, address))
      }),
      { numRuns: 5_000 },
    )
  })
})

it.each([
  '1.1.1.1',
  '8.8.8.8',
  '93.184.216.34',
  '2606:4700:4700::1111',
  '2a00:1450:4001:80b::200e',
])('%s is public', (address) => {
  expect(isPublicAddress(address)).toBe(true)
})

it.each(['', 'localhost', '1.1.1', '2606:4700::1111%eth0', '[::1]', '1.1.1.1/8', '::ffff:8.8.8.8'])(
  '%j is not a public address',
  (text) => {
    expect(isPublicAddress(text)).toBe(false)
  },
)
