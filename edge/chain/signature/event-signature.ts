export type AbiType =
  | { kind: 'address' }
  | { kind: 'bool' }
  | { kind: 'string' }
  | { kind: 'bytes' }
  | { kind: 'uint' | 'int'; bits: number }
  /** 1 to 32 bytes. A `function` value has 24. */
  | { kind: 'fixed_bytes'; bytes: number }
  /** Null `length`: dynamic. */
  | { kind: 'array'; of: AbiType; length: number | null }
  | { kind: 'tuple'; members: readonly AbiType[] }

export type EventInput = {
  type: AbiType
  /** As written in the canonical signature. */
  canonical: string
  indexed: boolean
  name?: string
}

export type EventSignature = {
  name: string
  inputs: readonly EventInput[]
  /** Such as `Transfer(address,address,uint256)`. */
  canonical: string
  /** Keccak-256 hash of the canonical signature, as 0x hex. */
  topic0: string
  /** True if any argument is marked `indexed`. The signature is then assumed to mark all indexed arguments. */
  isMarked: boolean
}
