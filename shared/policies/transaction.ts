import { readAddress } from './address.ts'
import { DeniedError } from './denial.ts'
import { type Fields, quoted, readList, requireFields } from './fields.ts'
import {
  type Notation,
  readBytes,
  readHex,
  readChain,
  readUint,
  requireBytes,
  SAFE_INTEGER_MAX,
} from './numbers.ts'

/** An unsigned transaction with the field names of ethers. Addresses and bytes are lower-case 0x hex. */
export type Transaction = {
  type: 0 | 1 | 2 | 3
  /** 0 if a legacy transaction is valid on every chain. Only wallets without a policy sign it. */
  chainId: bigint
  nonce: bigint
  /** Null creates a contract. */
  to: string | null
  value: bigint
  data: string
  gasLimit: bigint
  /** Types 0 and 1. */
  gasPrice?: bigint
  /** Types 2 and 3, like `maxPriorityFeePerGas`. */
  maxFeePerGas?: bigint
  maxPriorityFeePerGas?: bigint
  accessList?: { address: string; storageKeys: string[] }[]
  /** Type 3, like `blobVersionedHashes`. */
  maxFeePerBlobGas?: bigint
  blobVersionedHashes?: string[]
}

const LEGACY = 'type,from,chainId,nonce,gasLimit,to,value,data,gasPrice'.split(',')
/** `gasPrice` is allowed if it equals `maxFeePerGas`, as in ethers v5. */
const EIP_1559 = [...LEGACY, 'accessList', 'maxFeePerGas', 'maxPriorityFeePerGas']
const FIELDS: readonly (readonly string[])[] = [
  LEGACY,
  [...LEGACY, 'accessList'],
  EIP_1559,
  [...EIP_1559, 'maxFeePerBlobGas', 'blobVersionedHashes'],
]

/** Maximum number of addresses and storage keys. Each one is checked and hashed on the origin's main thread. */
const ACCESS_LIST_MAX = 128

/**
 * Reads an unsigned transaction. In the notation of ethers v5, null means that a field is missing, a transaction
 * without a type is a legacy transaction, and other missing numbers and '0x' are 0.
 * @param wallet address, which the field `from` must name if it is present
 * @throws {DeniedError}
 */
export function readTransaction(given: unknown, wallet: string, notation: Notation): Transaction {
  const isStrict = notation === 'strict'
  const fields = requireFields(given, 'transaction', !isStrict)
  const type = readType(fields, isStrict)
  requireFieldsOf(type, fields, isStrict ? FIELDS : FIELDS.slice(0, 3))
  const address = (name: string) => readAddress(fields.value(name), `transaction.${name}`, notation)
  if (fields.value('from') !== undefined && address('from') !== wallet.toLowerCase())
    throw new DeniedError(
      'other_sender',
      `transaction.from: is not the address of the wallet, ${wallet}`,
    )
  const integer = (name: string, max?: bigint) => {
    const value = fields.value(name)
    if (!isStrict && (value === undefined || value === '0x')) return 0n
    return readUint(fields.required(name, 'an integer'), `transaction.${name}`, notation, max)
  }
  const data = fields.value('data')
  return {
    type,
    chainId: isStrict
      ? readChain(fields.value('chainId') ?? undefined, 'transaction.chainId')
      : integer('chainId', SAFE_INTEGER_MAX),
    nonce: integer('nonce', SAFE_INTEGER_MAX),
    to: (fields.value('to') ?? null) === null ? null : address('to'),
    value: fields.value('value') === undefined ? 0n : integer('value'),
    data: data === undefined ? '0x' : readBytes(data, 'transaction.data'),
    gasLimit: integer('gasLimit'),
    ...(type < 2 ? { gasPrice: integer('gasPrice') } : readFees(fields, integer)),
    ...(type > 0 && { accessList: readAccessList(fields.value('accessList'), notation) }),
    ...(type === 3 && {
      maxFeePerBlobGas: integer('maxFeePerBlobGas'),
      blobVersionedHashes: readBlobHashes(fields.required('blobVersionedHashes', 'an array')),
    }),
  }
}

/** In strict notation, a missing type is inferred from the other fields, as in ethers v6. */
function readType(fields: Fields, isStrict: boolean): 0 | 1 | 2 | 3 {
  const given = fields.value('type')
  if (given === undefined || given === null) {
    if (!isStrict) return 0
    if (fields.value('blobVersionedHashes') !== undefined) return 3
    if (fields.value('maxFeePerGas') !== undefined) return 2
    return fields.value('accessList') === undefined ? 0 : 1
  }
  const type = isStrict ? Number(readUint(given, 'transaction.type', 'strict')) : given
  if (type === 0 || type === 1 || type === 2 || (type === 3 && isStrict)) return type
  throw new DeniedError(
    'transaction_type',
    `transaction.type: expected 0 (legacy), 1 (EIP-2930) or 2 (EIP-1559)${isStrict ? ', or 3 (EIP-4844)' : ''}; other types, such as ${isStrict ? 'set-code' : 'blob'} transactions, cannot be signed`,
  )
}

function requireFieldsOf(type: number, fields: Fields, all: typeof FIELDS): void {
  for (const name of fields.names) {
    if (all[type]!.includes(name)) continue
    const other = all.findIndex((names) => names.includes(name))
    const code = other === -1 ? 'unknown_field' : 'conflicting_fields'
    throw new DeniedError(
      name === 'authorizationList' ? 'transaction_type' : code,
      `transaction: has the member ${quoted(name)}, which a transaction of type ${type} does not have; remove it${other === -1 ? '' : `, or set type: ${other}`}`,
    )
  }
}

function readFees(fields: Fields, integer: (name: string) => bigint): Partial<Transaction> {
  const maxFeePerGas = integer('maxFeePerGas')
  const maxPriorityFeePerGas = integer('maxPriorityFeePerGas')
  if (fields.value('gasPrice') !== undefined && integer('gasPrice') !== maxFeePerGas)
    throw new DeniedError(
      'conflicting_fields',
      'transaction.gasPrice: differs from maxFeePerGas; remove it from a transaction of this type',
    )
  if (maxPriorityFeePerGas > maxFeePerGas)
    throw new DeniedError(
      'conflicting_fields',
      'transaction.maxPriorityFeePerGas: exceeds maxFeePerGas, so no chain would accept the transaction',
    )
  return { maxFeePerGas, maxPriorityFeePerGas }
}

function readAccessList(
  given: unknown = [],
  notation: Notation,
): Transaction['accessList'] & object {
  let count = 0
  return readList(given, 'transaction.accessList', 'malformed_request').map((entry, at) => {
    const path = `transaction.accessList[${at}]`
    const { address, storageKeys } = readAccessEntry(entry, path)
    const keys = readList(storageKeys ?? [], `${path}.storageKeys`, 'malformed_request')
    count += 1 + keys.length
    if (count > ACCESS_LIST_MAX)
      throw new DeniedError(
        'data_too_long',
        `transaction.accessList: has more than ${ACCESS_LIST_MAX} addresses and storage keys`,
      )
    return {
      address: readAddress(address, `${path}.address`, notation),
      storageKeys: keys.map((key, index) => readWord(key, `${path}.storageKeys[${index}]`)),
    }
  })
}

/** Reads `{address, storageKeys}`, or the pair `[address, storageKeys]`. */
function readAccessEntry(entry: unknown, path: string): { address: unknown; storageKeys: unknown } {
  if (Array.isArray(entry) && entry.length <= 2) return { address: entry[0], storageKeys: entry[1] }
  const fields = requireFields(entry, path)
  fields.requireKnown(['address', 'storageKeys'])
  return { address: fields.value('address'), storageKeys: fields.value('storageKeys') }
}

function readBlobHashes(given: unknown): string[] {
  const path = 'transaction.blobVersionedHashes'
  const hashes = readList(given, path, 'malformed_request')
  if (hashes.length === 0) throw new DeniedError('malformed_request', `${path}: is empty`)
  return hashes.map((hash, at) => readWord(hash, `${path}[${at}]`))
}

const readWord = (value: unknown, path: string) => requireBytes(readHex(value, path), 32, path)

/** Gas of one blob (EIP-4844). */
const GAS_PER_BLOB = 2n ** 17n

/** Returns the highest price per unit of gas that the transaction pays. */
export function maxGasPrice({ gasPrice, maxFeePerGas }: Transaction): bigint {
  return gasPrice ?? maxFeePerGas ?? 0n
}

/** Returns the highest possible fee, without the fee that a rollup charges for data on its base chain. */
export function maxFee(transaction: Transaction): bigint {
  const { gasLimit, maxFeePerBlobGas = 0n, blobVersionedHashes = [] } = transaction
  const blobGas = GAS_PER_BLOB * BigInt(blobVersionedHashes.length)
  return gasLimit * maxGasPrice(transaction) + blobGas * maxFeePerBlobGas
}
