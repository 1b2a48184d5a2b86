/** An event's signature, read. */

export type AbiType =
  | { kind: 'address' }
  | { kind: 'bool' }
  | { kind: 'string' }
  /** Of any length. */
  | { kind: 'bytes' }
  | { kind: 'uint' | 'int'; bits: number }
  /** 1 to 32 bytes, with their count. A `function` is 24 of them. */
  | { kind: 'fixed_bytes'; bytes: number }
  /** @property length `null` for one of any length */
  | { kind: 'array'; of: AbiType; length: number | null }
  | { kind: 'tuple'; members: readonly AbiType[] }

export type EventInput = {
  type: AbiType
  /** The type as it stands in the canonical form. */
  canonical: string
  /** Whether its owner marked it as indexed. */
  indexed: boolean
  name?: string
}

export type EventSignature = {
  name: string
  inputs: readonly EventInput[]
  /** `Transfer(address,address,uint256)`: what is hashed. */
  canonical: string
  /** Keccak-256 of the canonical form, 0x hex. */
  topic0: string
  /** At least one input is marked `indexed`: then the marks are the whole truth. */
  isMarked: boolean
}
