/** Logs of declared events with random values as they occur on chains. */
import { AbiCoder, hexlify, keccak256 } from 'ethers'
import { parseEventSignature } from '../../../edge/chain/signature/parse-event-signature.ts'
import type { AbiType, EventSignature } from '../../../edge/chain/signature/event-signature.ts'
import { isHashedInTopic } from '../../../edge/chain/signature/type-size.ts'

export type SomeLog = { topics: string[]; data: string }
export type Random = () => number

/** Deterministic numbers in [0, 1) for a seed (mulberry32). */
export function seeded(seed: number): Random {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Positions of the arguments that a declaration marks as indexed. */
export function marksOf({ inputs }: EventSignature): number[] {
  return [...inputs.keys()].filter((index) => inputs[index]!.indexed)
}

/** The same event, without `indexed` markers. */
export function unmarked(signature: EventSignature): EventSignature {
  return parseEventSignature(signature.canonical)
}

/** @param indexed positions of the arguments in the topics, fewer than four */
export function logOf(
  signature: EventSignature,
  indexed: readonly number[],
  values: readonly unknown[],
): SomeLog {
  const coder = AbiCoder.defaultAbiCoder()
  const { inputs, topic0 } = signature
  const typeOf = (index: number) => inputs[index]!.canonical
  const topics = indexed.map((index) =>
    isHashedInTopic(inputs[index]!.type)
      ? keccak256(coder.encode([typeOf(index)], [values[index]]))
      : coder.encode([typeOf(index)], [values[index]]),
  )
  const inData = [...inputs.keys()].filter((index) => !indexed.includes(index))
  const data = coder.encode(
    inData.map(typeOf),
    inData.map((index) => values[index]),
  )
  return { topics: [topic0, ...topics], data }
}

export function someLog(
  signature: EventSignature,
  indexed: readonly number[],
  random: Random,
): SomeLog {
  return logOf(
    signature,
    indexed,
    signature.inputs.map(({ type }) => someValue(type, random)),
  )
}

export function someValue(type: AbiType, random: Random): unknown {
  switch (type.kind) {
    case 'address':
      return random() < 0.05 ? `0x${'00'.repeat(20)}` : someBytes(20, random)
    case 'bool':
      return random() < 0.5
    case 'uint':
      return someAmount(type.bits, random)
    case 'int': {
      const amount = someAmount(type.bits - 1, random)
      return random() < 0.5 ? amount : -amount
    }
    case 'fixed_bytes':
      return random() < 0.05 ? `0x${'00'.repeat(type.bytes)}` : someBytes(type.bytes, random)
    case 'string':
      return TEXT.slice(0, Math.floor(random() * TEXT.length))
    case 'bytes':
      return someBytes(Math.floor(random() * 120), random)
    case 'array': {
      const length = type.length ?? Math.floor(random() * 4)
      return Array.from({ length }, () => someValue(type.of, random))
    }
    case 'tuple':
      return type.members.map((member) => someValue(member, random))
  }
}

const TEXT = 'ipfs://bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi/42.json'

/** Zero, counters, timestamps, token amounts (half of them round), hash IDs, and the maximum. */
function someAmount(bits: number, random: Random): bigint {
  const kind = random()
  const any = () => BigInt(someBytes(32, random)) & ((1n << BigInt(bits)) - 1n)
  const upTo = (most: number) =>
    any() >> BigInt(bits - Math.min(bits, 1 + Math.floor(random() * most)))
  if (kind < 0.05) return 0n
  if (kind < 0.3) return upTo(20)
  if (bits < 32) return any()
  if (kind < 0.4) return 1_600_000_000n + BigInt(Math.floor(random() * 300_000_000))
  if (kind < 0.92 && bits > 64) {
    const digits = 10n ** BigInt(Math.floor(random() * 18))
    const amount = digits * BigInt(1 + Math.floor(random() * 10_000))
    return random() < 0.5 ? amount : amount + upTo(60)
  }
  if (kind < 0.97) return any()
  return (1n << BigInt(bits)) - 1n
}

export function someBytes(length: number, random: Random): string {
  return hexlify(Uint8Array.from({ length }, () => Math.floor(random() * 256)))
}

/** True if some of its arguments are indexed and some are not. */
export function isPartlyIndexed(signature: EventSignature): boolean {
  const marks = marksOf(signature).length
  return marks > 0 && marks < signature.inputs.length
}
