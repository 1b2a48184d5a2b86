/** Types that represent a parsed event signature. */

export type AbiType =
  | { kind: 'address' }
  | { kind: 'bool' }
  | { kind: 'string' }
  /** Byte string of dynamic length. */
  | { kind: 'bytes' }
  | { kind: 'uint' | 'int'; bits: number }
  /** Byte string of 1 to 32 bytes. A `function` value has 24. */
  | { kind: 'fixed_bytes'; bytes: number }
  /** Array type. `length` is null for an array of dynamic length. */
  | { kind: 'array'; of: AbiType; length: number | null }
  | { kind: 'tuple'; members: readonly AbiType[] }

export type EventInput = {
  type: AbiType
  /** Type of the argument, as written in the canonical signature. */
  canonical: string
  /** True if the signature marks the argument as `indexed`. */
  indexed: boolean
  name?: string
}

export type EventSignature = {
  name: string
  inputs: readonly EventInput[]
  /** Canonical signature, such as `Transfer(address,address,uint256)`. */
  canonical: string
  /** First topic of the event's logs: the Keccak-256 hash of the canonical signature, as 0x hex. */
  topic0: string
  /** True if at least one argument is marked `indexed`. The signature is then assumed to mark all indexed arguments. */
  isMarked: boolean
}
