/** A parsed event signature. */

export type AbiType =
  | { kind: 'address' }
  | { kind: 'bool' }
  | { kind: 'string' }
  /** Dynamic length. */
  | { kind: 'bytes' }
  | { kind: 'uint' | 'int'; bits: number }
  /** 1 to 32 bytes. A `function` has 24. */
  | { kind: 'fixed_bytes'; bytes: number }
  /** @property length null for a dynamic array */
  | { kind: 'array'; of: AbiType; length: number | null }
  | { kind: 'tuple'; members: readonly AbiType[] }

export type EventInput = {
  type: AbiType
  /** The type as written in the canonical signature. */
  canonical: string
  /** True if the signature marks the argument as `indexed`. */
  indexed: boolean
  name?: string
}

export type EventSignature = {
  name: string
  inputs: readonly EventInput[]
  /** The text that is hashed, such as `Transfer(address,address,uint256)`. */
  canonical: string
  /** Keccak-256 of the canonical form, as 0x hex. */
  topic0: string
  /** True if at least one input is marked `indexed`. The marks are then taken to be complete. */
  isMarked: boolean
}
