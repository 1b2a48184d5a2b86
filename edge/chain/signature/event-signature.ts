export type AbiType =
  | { kind: 'address' }
  | { kind: 'bool' }
  | { kind: 'string' }
  | { kind: 'bytes' }
  | { kind: 'uint' | 'int'; bits: number }
  /** Byte string of 1 to 32 bytes. A `function` value has 24. */
  | { kind: 'fixed_bytes'; bytes: number }
  /** A `length` of null means that the array is dynamic. */
  | { kind: 'array'; of: AbiType; length: number | null }
  | { kind: 'tuple'; members: readonly AbiType[] }

export type EventInput = {
  type: AbiType
  canonical: string
  indexed: boolean
  name?: string
}

export type EventSignature = {
  name: string
  inputs: readonly EventInput[]
  /** Canonical signature, for example `Transfer(address,address,uint256)`. */
  canonical: string
  /** Keccak-256 hash of the canonical signature, as 0x hex. */
  topic0: string
  /** True if at least one argument is marked `indexed`. The signature is then assumed to mark all indexed arguments. */
  isMarked: boolean
}
