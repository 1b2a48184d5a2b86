import { decodeHex, encodeHex } from '../../../shared/encoding/hex.ts'

/**
 * Distinct addresses in ascending order, 20 bytes each without separators. A list of 10,000 addresses takes 200 KB,
 * a fifth of a set of strings.
 */
export type AddressList = Uint8Array

const BYTES = 20

/** @param addresses 20 bytes as 0x hex in lower case */
export function packAddresses(addresses: Iterable<string>): AddressList {
  const sorted = [...new Set(addresses)].toSorted()
  const list = new Uint8Array(sorted.length * BYTES)
  for (const [at, address] of sorted.entries()) list.set(decodeHex(address)!, at * BYTES)
  return list
}

export function addressCount(list: AddressList): number {
  return list.length / BYTES
}

export function* addressesOf(list: AddressList): Generator<string> {
  for (let at = 0; at < list.length; at += BYTES)
    yield `0x${encodeHex(list.subarray(at, at + BYTES))}`
}

/** @param address 20 bytes as 0x hex in lower case */
export function hasAddress(list: AddressList, address: string): boolean {
  const wanted = bytesOf(address)
  let low = 0
  let high = addressCount(list) - 1
  while (low <= high) {
    const middle = (low + high) >> 1
    const order = compareAt(list, middle * BYTES, wanted)
    if (order === 0) return true
    if (order < 0) low = middle + 1
    else high = middle - 1
  }
  return false
}

function compareAt(list: AddressList, at: number, wanted: Uint8Array): number {
  for (let byte = 0; byte < BYTES; byte++) {
    const difference = list[at + byte]! - wanted[byte]!
    if (difference !== 0) return difference
  }
  return 0
}

/** The same log is looked up in the lists of many triggers. */
let last: { address: string; bytes: Uint8Array } | undefined

function bytesOf(address: string): Uint8Array {
  if (last?.address !== address) last = { address, bytes: decodeHex(address)! }
  return last.bytes
}
