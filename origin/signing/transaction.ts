import { type AccessList, Transaction, type TransactionLike } from 'ethers'
import {
  type Members,
  readAddress,
  readBytes,
  readInteger,
  readJson,
  readList,
  readMembers,
  SigningInputError,
} from './fields.ts'

const COMMON = ['type', 'from', 'chainId', 'nonce', 'gasLimit', 'to', 'value', 'data']

/** Members of a transaction, by its type. */
const MEMBERS: Record<number, readonly string[]> = {
  0: [...COMMON, 'gasPrice'],
  1: [...COMMON, 'gasPrice', 'accessList'],
  // ethers v5 permits gasPrice if it equals maxFeePerGas.
  2: [...COMMON, 'maxFeePerGas', 'maxPriorityFeePerGas', 'gasPrice', 'accessList'],
}

const UINT256_MAX = 2n ** 256n - 1n
const SAFE_MAX = BigInt(Number.MAX_SAFE_INTEGER)

/** Maximum number of addresses and storage keys. ethers computes the checksum of an address four times. */
const ACCESS_LIST_MAX = 128

const STORAGE_KEY = /^0x[0-9a-fA-F]{64}$/

/**
 * Reads an unsigned transaction in the form of ethers v5. As in ethers v5, a transaction without a type is a legacy
 * transaction, null stands for a missing member, and a missing number or '0x' is 0.
 * @param wallet address of the signer, which `from` must equal if it is there
 * @throws {SigningInputError}
 */
export function readTransaction(json: string, wallet: string): Transaction {
  const all = readMembers(readJson(json, 'transaction'), 'transaction')
  const given: Members = Object.create(null) as Members
  for (const [key, value] of Object.entries(all)) if (value !== null) given[key] = value
  const type = readType(given.type)
  requireMembersOf(type, given)
  if (given.from !== undefined && readAddress(given.from, 'transaction.from') !== wallet)
    throw new SigningInputError(`transaction.from: is not the address of the wallet, ${wallet}`)
  const integer = (name: string, max = UINT256_MAX) => readUint(given[name], name, max)
  const transaction: TransactionLike = {
    type,
    chainId: integer('chainId', SAFE_MAX),
    nonce: Number(integer('nonce', SAFE_MAX)),
    gasLimit: integer('gasLimit'),
    to: given.to === undefined ? null : readAddress(given.to, 'transaction.to'),
    value: integer('value'),
    data: given.data === undefined ? '0x' : readBytes(given.data, 'transaction.data'),
  }
  if (type === 2) Object.assign(transaction, readFees(given, integer))
  else transaction.gasPrice = integer('gasPrice')
  if (type !== 0) transaction.accessList = readAccessList(given.accessList)
  return Transaction.from(transaction)
}

function readType(value: unknown): 0 | 1 | 2 {
  if (value === undefined) return 0
  if (value === 0 || value === 1 || value === 2) return value
  throw new SigningInputError(
    'transaction.type: expected 0 (legacy), 1 (EIP-2930) or 2 (EIP-1559); other types, such as blob transactions, cannot be signed',
  )
}

function requireMembersOf(type: number, given: Members): void {
  const known = MEMBERS[type] ?? []
  for (const key of Object.keys(given)) {
    if (known.includes(key)) continue
    const other = Object.keys(MEMBERS).find((number) => MEMBERS[Number(number)]?.includes(key))
    const hint = other === undefined ? 'remove it' : `remove it, or set type: ${other}`
    throw new SigningInputError(
      `transaction: has the member ${key.slice(0, 64)}, which a transaction of type ${type} does not have; ${hint}`,
    )
  }
}

function readUint(value: unknown, name: string, max: bigint): bigint {
  if (value === undefined || value === '0x') return 0n
  const path = `transaction.${name}`
  const number = readInteger(value, path)
  if (number < 0n || number > max)
    throw new SigningInputError(
      `${path}: expected an integer from 0 to 2^${max === SAFE_MAX ? '53' : '256'} - 1`,
    )
  return number
}

function readFees(given: Members, integer: (name: string) => bigint): TransactionLike {
  const maxFeePerGas = integer('maxFeePerGas')
  const maxPriorityFeePerGas = integer('maxPriorityFeePerGas')
  if (given.gasPrice !== undefined && integer('gasPrice') !== maxFeePerGas)
    throw new SigningInputError(
      'transaction.gasPrice: differs from maxFeePerGas; remove it from a transaction of type 2',
    )
  if (maxPriorityFeePerGas > maxFeePerGas)
    throw new SigningInputError(
      'transaction.maxPriorityFeePerGas: exceeds maxFeePerGas, so no chain would accept the transaction',
    )
  return { maxFeePerGas, maxPriorityFeePerGas }
}

function readAccessList(value: unknown): AccessList {
  if (value === undefined) return []
  let count = 0
  return readList(value, 'transaction.accessList').map((entry, at) => {
    const path = `transaction.accessList[${at}]`
    const { address, storageKeys } = readAccessEntry(entry, path)
    const keys = readList(storageKeys ?? [], `${path}.storageKeys`)
    count += 1 + keys.length
    if (count > ACCESS_LIST_MAX)
      throw new SigningInputError(
        `transaction.accessList: has more than ${ACCESS_LIST_MAX} addresses and storage keys`,
      )
    return {
      address: readAddress(address, `${path}.address`),
      storageKeys: keys.map((key, index) => {
        if (typeof key === 'string' && STORAGE_KEY.test(key)) return key.toLowerCase()
        throw new SigningInputError(`${path}.storageKeys[${index}]: expected 32 bytes as 0x hex`)
      }),
    }
  })
}

/** Reads `{address, storageKeys}`, or the pair `[address, storageKeys]`. */
function readAccessEntry(entry: unknown, path: string): Members {
  if (Array.isArray(entry) && entry.length <= 2) return { address: entry[0], storageKeys: entry[1] }
  const members = readMembers(entry, path)
  for (const key of Object.keys(members))
    if (key !== 'address' && key !== 'storageKeys')
      throw new SigningInputError(`${path}: expected only the members address and storageKeys`)
  return members
}
