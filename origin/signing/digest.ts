import { keccak_256 } from '@noble/hashes/sha3.js'
import type { AbiType, AbiValue } from '../../shared/policies/abi-type.ts'
import { encodeArguments } from '../../shared/policies/encode-arguments.ts'
import type { SigningRequest } from '../../shared/policies/request.ts'
import type { StructType } from '../../shared/policies/struct-types.ts'
import { domainStruct, type TypedData } from '../../shared/policies/typed-data.ts'
import { serializeTransaction } from './serialize.ts'

/** Returns the digest that is signed for the request, as lower-case 0x hex. */
export function digestOf(request: SigningRequest): string {
  switch (request.kind) {
    case 'message':
      return messageDigest(request.message.bytes)
    case 'typed_data':
      return typedDataDigest(request.typedData)
    case 'transaction':
      return `0x${keccakOfHex(serializeTransaction(request.transaction).slice(2))}`
    case 'digest':
      return request.digest
  }
}

/** EIP-191. */
function messageDigest(message: string): string {
  const bytes = Buffer.from(message.slice(2), 'hex')
  const prefix = Buffer.from(`\x19Ethereum Signed Message:\n${bytes.length}`)
  return `0x${keccak(Buffer.concat([prefix, bytes]))}`
}

/** EIP-712. */
function typedDataDigest({ domain, type, value }: TypedData): string {
  const hash = new StructHash()
  const separator = domainStruct(domain)
  const digits = hash.ofStruct(separator.type, separator.value) + hash.ofStruct(type, value)
  return `0x${keccakOfHex(`1901${digits}`)}`
}

/** `hashStruct` of EIP-712. Encodes values as 32 bytes in hex, without 0x. */
class StructHash {
  readonly #typeHashes = new Map<string, string>()

  ofStruct({ encodedType, members }: StructType, values: readonly AbiValue[]): string {
    const encoded = members.map(({ type }, index) => this.#encode(type, values[index]!))
    return keccakOfHex(this.#typeHash(encodedType) + encoded.join(''))
  }

  /** Cached, because hundreds of values can have the same type. */
  #typeHash(encodedType: string): string {
    const known = this.#typeHashes.get(encodedType) ?? keccak(Buffer.from(encodedType))
    this.#typeHashes.set(encodedType, known)
    return known
  }

  #encode(type: AbiType, value: AbiValue): string {
    switch (type.kind) {
      case 'tuple':
        return this.ofStruct(type as StructType, value as readonly AbiValue[])
      case 'array':
        return keccakOfHex(
          (value as readonly AbiValue[]).map((item) => this.#encode(type.of, item)).join(''),
        )
      case 'string':
        return keccak(Buffer.from(value as string))
      case 'bytes':
        return keccakOfHex((value as string).slice(2))
      case 'address':
      case 'bool':
      case 'fixed_bytes':
      case 'int':
      case 'uint':
        return encodeArguments([type], [value])
    }
  }
}

const keccakOfHex = (digits: string) => keccak(Buffer.from(digits, 'hex'))

/** Faster than `keccak256` of ethers, which would block the main thread for longer. */
const keccak = (bytes: Uint8Array) => Buffer.from(keccak_256(bytes)).toString('hex')
