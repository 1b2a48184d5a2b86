/**
 * Reads a request for a signature into the one form that is checked and then signed. Everything that two programs could
 * read differently is denied.
 */
import { encodeHex, decodeHex } from '../encoding/hex.ts'
import { readAddress } from './address.ts'
import { DeniedError } from './denial.ts'
import { requireFields, type Fields } from './fields.ts'
import { CALLDATA_MAX_BYTES, SIGNED_DATA_MAX_BYTES } from './limits.ts'
import { readBytes, readInteger } from './numbers.ts'
import { readTypedData, type TypedData } from './typed-data.ts'

export type SigningRequest =
  | { kind: 'transaction'; transaction: Transaction }
  | { kind: 'message'; message: Message }
  | { kind: 'typed_data'; typedData: TypedData }
  /** 32 bytes as lower-case 0x hex. */
  | { kind: 'digest'; digest: string }

/** Names of the fields are those of ethers. Addresses and bytes are lower-case 0x hex. */
export type Transaction = {
  type: 0 | 1 | 2 | 3
  chainId: bigint
  nonce: bigint
  /** Null creates a contract. */
  to: string | null
  value: bigint
  data: string
  gasLimit: bigint
  /** For the types 0 and 1. */
  gasPrice?: bigint
  /** For the types 2 and 3, as is `maxPriorityFeePerGas`. */
  maxFeePerGas?: bigint
  maxPriorityFeePerGas?: bigint
  accessList?: { address: string; storageKeys: string[] }[]
  /** For the type 3, as is `blobVersionedHashes`. */
  maxFeePerBlobGas?: bigint
  blobVersionedHashes?: string[]
}

/** A message that is signed with the prefix of EIP-191. */
export type Message = {
  bytes: string
  /** The bytes as UTF-8. Undefined if they are not valid UTF-8. */
  text: string | undefined
}

/** @param wallet lower-case address, which the field `from` must name if it is present @throws {DeniedError} */
export function readRequest(request: unknown, wallet: string): SigningRequest {
  const fields = requireFields(request, 'request')
  switch (fields.value('kind')) {
    case 'transaction':
      fields.requireKnown(['kind', 'transaction'])
      return {
        kind: 'transaction',
        transaction: readTransaction(fields.value('transaction'), wallet),
      }
    case 'message':
      fields.requireKnown(['kind', 'message', 'bytes'])
      return { kind: 'message', message: readMessage(fields) }
    case 'typed_data':
      fields.requireKnown(['kind', 'domain', 'types', 'value', 'primaryType'])
      return { kind: 'typed_data', typedData: readTypedData(fields) }
    case 'digest':
      fields.requireKnown(['kind', 'digest'])
      return { kind: 'digest', digest: readDigest(fields.value('digest')) }
    default:
      throw new DeniedError(
        'malformed_request',
        'request.kind is not transaction, message, typed_data or digest',
      )
  }
}

function readDigest(value: unknown): string {
  const digest = readBytes(value, 'digest')
  if (digest.length !== 66) throw new DeniedError('invalid_hex', 'digest is not 32 bytes')
  return digest
}

/** Text is always text: `0x12` is four characters, as for ethers. */
function readMessage(fields: Fields): Message {
  const [text, given] = [fields.value('message'), fields.value('bytes')]
  if ((text === undefined) === (given === undefined))
    throw new DeniedError('malformed_request', 'exactly one of message and bytes is required')
  if (text === undefined) {
    const bytes = readBytes(given, 'bytes')
    requireLength(bytes, SIGNED_DATA_MAX_BYTES, 'bytes')
    return { bytes, text: textOf(bytes) }
  }
  if (typeof text !== 'string') throw new DeniedError('malformed_request', 'message is not a text')
  if (!text.isWellFormed())
    throw new DeniedError('invalid_text', 'message has a lone surrogate, which UTF-8 cannot encode')
  const bytes = `0x${encodeHex(new TextEncoder().encode(text))}`
  requireLength(bytes, SIGNED_DATA_MAX_BYTES, 'message')
  return { bytes, text }
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function textOf(bytes: string): string | undefined {
  try {
    return utf8.decode(decodeHex(bytes))
  } catch {
    return undefined
  }
}

function requireLength(hex: string, max: number, path: string): void {
  if ((hex.length - 2) / 2 > max)
    throw new DeniedError('data_too_long', `${path} is longer than ${max} bytes`)
}

const TRANSACTION_FIELDS = [
  'type',
  'chainId',
  'nonce',
  'to',
  'value',
  'data',
  'gasLimit',
  'gasPrice',
  'maxFeePerGas',
  'maxPriorityFeePerGas',
  'accessList',
  'maxFeePerBlobGas',
  'blobVersionedHashes',
  'from',
]

const UINT64_MAX = 2n ** 64n - 1n
/** Prices and limits of gas: no chain has larger ones, and their products are still exact. */
const FEE_MAX = 2n ** 128n - 1n

function readTransaction(value: unknown, wallet: string): Transaction {
  const fields = requireFields(value, 'transaction')
  if (fields.value('authorizationList') !== undefined)
    throw new DeniedError('transaction_type', 'EIP-7702 authorizations are not supported')
  fields.requireKnown(TRANSACTION_FIELDS)
  const from = fields.value('from')
  if (from !== undefined && readAddress(from, 'from') !== wallet)
    throw new DeniedError('other_sender', 'from is not the wallet')
  const type = readType(fields)
  const data = fields.value('data') === undefined ? '0x' : readBytes(fields.value('data'), 'data')
  requireLength(data, CALLDATA_MAX_BYTES, 'data')
  const to = fields.value('to')
  return {
    type,
    chainId: readChainId(fields.value('chainId')),
    nonce: readInteger(fields.required('nonce'), 'nonce', 0n, UINT64_MAX),
    to: to === undefined || to === null ? null : readAddress(to, 'to'),
    value: fields.value('value') === undefined ? 0n : readInteger(fields.value('value'), 'value'),
    data,
    gasLimit: readInteger(fields.required('gasLimit'), 'gasLimit', 0n, FEE_MAX),
    ...readFees(fields, type),
    ...readAccessList(fields, type),
    ...readBlobs(fields, type),
  }
}

function readChainId(value: unknown): bigint {
  if (value === undefined || value === null)
    throw new DeniedError('chain_missing', 'chainId is missing')
  const chainId = readInteger(value, 'chainId', 0n, BigInt(Number.MAX_SAFE_INTEGER))
  if (chainId === 0n) throw new DeniedError('chain_zero', 'chainId is 0')
  return chainId
}

/** Without a type, the fee fields determine it, as in ethers. */
function readType(fields: Fields): 0 | 1 | 2 | 3 {
  const given = fields.value('type')
  if (given === undefined || given === null) {
    if (fields.value('blobVersionedHashes') !== undefined) return 3
    if (fields.value('maxFeePerGas') !== undefined) return 2
    return fields.value('accessList') === undefined ? 0 : 1
  }
  const type = Number(readInteger(given, 'type'))
  if (type === 0 || type === 1 || type === 2 || type === 3) return type
  throw new DeniedError('transaction_type', `transactions of type ${type} are not supported`)
}

function readFees(fields: Fields, type: number): Partial<Transaction> {
  const isLegacy = type < 2
  for (const name of isLegacy ? ['maxFeePerGas', 'maxPriorityFeePerGas'] : ['gasPrice'])
    if (fields.value(name) !== undefined)
      throw new DeniedError('conflicting_fields', `type ${type} does not have ${name}`)
  const price = (name: string) => readInteger(fields.required(name), name, 0n, FEE_MAX)
  if (isLegacy) return { gasPrice: price('gasPrice') }
  const fees = {
    maxFeePerGas: price('maxFeePerGas'),
    maxPriorityFeePerGas: price('maxPriorityFeePerGas'),
  }
  if (fees.maxPriorityFeePerGas > fees.maxFeePerGas)
    throw new DeniedError('conflicting_fields', 'maxPriorityFeePerGas is higher than maxFeePerGas')
  return fees
}

function readAccessList(fields: Fields, type: number): Partial<Transaction> {
  const given = fields.value('accessList')
  if (type === 0) {
    if (given === undefined) return {}
    throw new DeniedError('conflicting_fields', 'type 0 does not have accessList')
  }
  if (given !== undefined && !Array.isArray(given))
    throw new DeniedError('malformed_request', 'accessList is not a list')
  const entries: readonly unknown[] = given ?? []
  return {
    accessList: entries.map((entry, index) => {
      const path = `accessList[${index}]`
      const members = requireFields(entry, path)
      members.requireKnown(['address', 'storageKeys'])
      const keys = members.required('storageKeys')
      if (!Array.isArray(keys))
        throw new DeniedError('malformed_request', `${path}.storageKeys is not a list`)
      return {
        address: readAddress(members.value('address'), `${path}.address`),
        storageKeys: keys.map((key) => readWord(key, `${path}.storageKeys`)),
      }
    }),
  }
}

function readBlobs(fields: Fields, type: number): Partial<Transaction> {
  if (type !== 3) {
    for (const name of ['maxFeePerBlobGas', 'blobVersionedHashes'])
      if (fields.value(name) !== undefined)
        throw new DeniedError('conflicting_fields', `type ${type} does not have ${name}`)
    return {}
  }
  const hashes = fields.required('blobVersionedHashes')
  if (!Array.isArray(hashes) || hashes.length === 0)
    throw new DeniedError('malformed_request', 'blobVersionedHashes is not a list of hashes')
  return {
    maxFeePerBlobGas: readInteger(
      fields.required('maxFeePerBlobGas'),
      'maxFeePerBlobGas',
      0n,
      FEE_MAX,
    ),
    blobVersionedHashes: hashes.map((hash) => readWord(hash, 'blobVersionedHashes')),
  }
}

function readWord(value: unknown, path: string): string {
  const word = readBytes(value, path)
  if (word.length !== 66) throw new DeniedError('invalid_hex', `${path}: expected 32 bytes`)
  return word
}

/** Gas of one blob (EIP-4844). */
const GAS_PER_BLOB = 2n ** 17n

/** Returns the highest price per unit of gas that the transaction pays. */
export function maxGasPrice({ gasPrice, maxFeePerGas }: Transaction): bigint {
  return gasPrice ?? maxFeePerGas ?? 0n
}

/** Returns the highest fee of the transaction, without what a rollup charges for its data on the base chain. */
export function maxFee(transaction: Transaction): bigint {
  const { gasLimit, maxFeePerBlobGas = 0n, blobVersionedHashes = [] } = transaction
  const blobGas = GAS_PER_BLOB * BigInt(blobVersionedHashes.length)
  return gasLimit * maxGasPrice(transaction) + blobGas * maxFeePerBlobGas
}
