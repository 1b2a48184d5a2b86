import { decodeHex, encodeHex } from '../../../shared/encoding/hex.ts'

/**
 * Distinct addresses in ascending order, 20 bytes each without separators. A list of 10,000 addresses takes 200 KB,
 * a fifth of a set of strings.
 */
export type AddressList = Uint8Array

export const ADDRESS_BYTES = 20

/** @param addresses 20 bytes as 0x hex in lower case */
export function packAddresses(addresses: Iterable<string>): AddressList {
  const sorted = [...new Set(addresses)].toSorted()
  const list = new Uint8Array(sorted.length * ADDRESS_BYTES)
  for (const [at, address] of sorted.entries()) list.set(decodeHex(address)!, at * ADDRESS_BYTES)
  return list
}

export function addressCount(list: AddressList): number {
  return list.length / ADDRESS_BYTES
}

export function* addressesOf(list: AddressList): Generator<string> {
  for (let at = 0; at < list.length; at += ADDRESS_BYTES)
    yield `0x${encodeHex(list.subarray(at, at + ADDRESS_BYTES))}`
}

/** @param address 20 bytes as 0x hex in lower case */
export function hasAddress(list: AddressList, address: string): boolean {
  return addressIndex(list, address) >= 0
}

/** Returns the index of an address in the list, or -1. */
export function addressIndex(list: AddressList, address: string): number {
  const index = insertionIndex(list, address)
  const isFound =
    index < addressCount(list) && compareAt(list, index * ADDRESS_BYTES, bytesOf(address)) === 0
  return isFound ? index : -1
}

/** Returns the number of addresses in the list that are below an address. */
export function insertionIndex(list: AddressList, address: string): number {
  const wanted = bytesOf(address)
  let low = 0
  let high = addressCount(list)
  while (low < high) {
    const middle = (low + high) >> 1
    if (compareAt(list, middle * ADDRESS_BYTES, wanted) < 0) low = middle + 1
    else high = middle
  }
  return low
}

function compareAt(list: AddressList, at: number, wanted: Uint8Array): number {
  for (let byte = 0; byte < ADDRESS_BYTES; byte++) {
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
