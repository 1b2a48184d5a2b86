import { decodeHex } from '../../../shared/encoding/hex.ts'
import { type LogPosition, comparePositions } from '../chain-log.ts'
import {
  ADDRESS_BYTES,
  addressCount,
  addressIndex,
  type AddressList,
  insertionIndex,
} from '../matching/address-list.ts'

export type LearnedContract = { address: string; at: LogPosition }

/** A position takes two numbers: the block and the log index. */
const POSITION = 2

/**
 * Contracts that a factory created, with the positions of the logs that named them. Packed, because a watcher holds the
 * contracts of all triggers of its chain.
 */
export class LearnedContracts {
  #list: AddressList = new Uint8Array()
  /** Positions in the order of the list. */
  #positions: Float64Array = new Float64Array()

  get size(): number {
    return addressCount(this.#list)
  }

  get list(): AddressList {
    return this.#list
  }

  has(address: string): boolean {
    return addressIndex(this.#list, address) >= 0
  }

  /** Returns true if the contract was created before a log. */
  isBefore(address: string, log: LogPosition): boolean {
    const index = addressIndex(this.#list, address)
    if (index < 0) return false
    const [block, logIndex] = this.#positions.subarray(POSITION * index)
    return comparePositions({ block: block!, logIndex: logIndex! }, log) < 0
  }

  /**
   * Adds contracts in the order in which they were created. Contracts that are already known keep their positions.
   * Copies the packed lists once, because factories with thousands of contracts create more in many blocks.
   */
  add(contracts: readonly LearnedContract[]): void {
    const fresh = new Map<string, LogPosition>()
    for (const { address, at } of contracts)
      if (!fresh.has(address) && !this.has(address)) fresh.set(address, at)
    if (fresh.size === 0) return
    const [list, positions] = [this.#list, this.#positions]
    const merged = new PackedContracts(this.size + fresh.size)
    let copied = 0
    for (const address of [...fresh.keys()].toSorted()) {
      const index = insertionIndex(list, address)
      merged.copy(list, positions, copied, index)
      merged.push(address, fresh.get(address)!)
      copied = index
    }
    merged.copy(list, positions, copied, this.size)
    ;({ list: this.#list, positions: this.#positions } = merged)
  }

  /** Forgets the contracts that were created above a block. */
  forgetAbove(block: number): void {
    const [list, positions] = [this.#list, this.#positions]
    const kept = Array.from({ length: this.size }, (_, index) => index).filter(
      (index) => positions[POSITION * index]! <= block,
    )
    const packed = new PackedContracts(kept.length)
    for (const index of kept) packed.copy(list, positions, index, index + 1)
    ;({ list: this.#list, positions: this.#positions } = packed)
  }
}

class PackedContracts {
  readonly list: Uint8Array
  readonly positions: Float64Array
  #size = 0

  constructor(size: number) {
    this.list = new Uint8Array(size * ADDRESS_BYTES)
    this.positions = new Float64Array(size * POSITION)
  }

  copy(list: AddressList, positions: Float64Array, from: number, to: number): void {
    this.list.set(
      list.subarray(from * ADDRESS_BYTES, to * ADDRESS_BYTES),
      this.#size * ADDRESS_BYTES,
    )
    this.positions.set(positions.subarray(from * POSITION, to * POSITION), this.#size * POSITION)
    this.#size += to - from
  }

  push(address: string, { block, logIndex }: LogPosition): void {
    this.list.set(decodeHex(address)!, this.#size * ADDRESS_BYTES)
    this.positions.set([block, logIndex], this.#size * POSITION)
    this.#size++
  }
}
