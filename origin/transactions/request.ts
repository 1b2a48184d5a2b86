import { ErrorFragment } from 'ethers'
import { TRANSACTION_ERRORS_MAX, TRANSACTION_ERROR_MAX_CHARACTERS } from '../../shared/limits.ts'
import { readAddress } from '../../shared/policies/address.ts'
import { DeniedError } from '../../shared/policies/denial.ts'
import { quoted, readList, requireFields } from '../../shared/policies/fields.ts'
import { readBytes, readUint, SAFE_INTEGER_MAX } from '../../shared/policies/numbers.ts'
import { pkpIdSchema } from '../../shared/wire/fields.ts'
import { TRANSACTION_SPEEDS, type TransactionSpeed } from '../../shared/wire/transaction-states.ts'
import type { TransactionRequest } from './types.ts'

/** The request cannot be read. The message begins with the name of the field, as the caller wrote it. */
export class TransactionRequestError extends Error {
  override readonly name = 'TransactionRequestError'
}

/** Names of the members in `Svc.Actions.sendTransaction`, and in the body of an HTTP request. */
const NAMES = {
  action: { pkpId: 'pkpId', maxFeePerGas: 'maxFeePerGas' },
  http: { pkpId: 'pkp_id', maxFeePerGas: 'max_fee_per_gas' },
} as const

/** Gas of a transfer without data. No transaction needs less. */
const GAS_MIN = 21_000n
const GAS_MAX = 2n ** 64n - 1n
const CHAIN_MAX_CHARACTERS = 64

/**
 * Reads an untrusted JSON object. Amounts are bigints, safe integers, decimal texts or 0x hex. Members that are null or
 * undefined count as absent. Whether the chain is configured and the wallet exists is not checked.
 * @throws {TransactionRequestError}
 */
export function readTransactionRequest(
  given: unknown,
  names: keyof typeof NAMES,
): TransactionRequest {
  return withRequestErrors(() => read(given, NAMES[names]))
}

function withRequestErrors<Value>(reading: () => Value): Value {
  try {
    return reading()
  } catch (error) {
    throw error instanceof DeniedError ? new TransactionRequestError(error.message) : error
  }
}

function read(given: unknown, names: (typeof NAMES)[keyof typeof NAMES]): TransactionRequest {
  const fields = requireFields(given, 'request', true)
  const { pkpId, maxFeePerGas } = names
  const known = [pkpId, 'chain', 'to', 'data', 'value', 'gas', maxFeePerGas, 'speed', 'errors']
  fields.requireKnown(known)
  const amount = (name: string, max?: bigint) => {
    const value = fields.value(name)
    return value === undefined ? undefined : readUint(value, name, 'strict', max)
  }
  const data = fields.value('data')
  const gasLimit = readGas(amount('gas', GAS_MAX))
  const givenFee = fields.value(maxFeePerGas)
  const maxFee = givenFee === undefined ? undefined : readMaxFee(givenFee, maxFeePerGas)
  const speed = fields.value('speed')
  const errors = fields.value('errors')
  return {
    pkpId: readPkpId(fields.required(pkpId, 'a wallet address or its 32-byte ID'), pkpId),
    chain: readChain(fields.required('chain', 'the name of a chain, or its chain ID')),
    to: readAddress(fields.required('to', 'an address; contracts cannot be created'), 'to'),
    data: data === undefined ? '0x' : readBytes(data, 'data'),
    value: amount('value') ?? 0n,
    ...(gasLimit !== undefined && { gasLimit }),
    ...(maxFee !== undefined && { maxFeePerGas: maxFee }),
    ...(speed !== undefined && { speed: readSpeed(speed) }),
    ...(errors !== undefined && { errors: readErrors(errors) }),
  }
}

/** Reads an amount in wei. @throws {TransactionRequestError} */
export function readAmount(value: unknown, path: string): bigint {
  return withRequestErrors(() => readUint(value, path, 'strict'))
}

/** Reads the highest fee for a unit of gas, in wei. @throws {TransactionRequestError} */
export function readMaxFee(value: unknown, path: string): bigint {
  const fee = readAmount(value, path)
  return fee > 0n ? fee : refuse(path, 'is 0; no chain mines a transaction without a fee')
}

function readPkpId(value: unknown, path: string): string {
  const id = pkpIdSchema.safeParse(value)
  // The wildcard has only zeros, like the zero address.
  if (id.success && BigInt(id.data) !== 0n) return id.data
  return refuse(path, 'expected the address of one wallet or its 32-byte ID, as 0x hex')
}

/** Returns a name in lower case, or a chain ID as decimal text. */
export function readChain(value: unknown): string {
  if (typeof value === 'string' && /^[a-z]/i.test(value) && value.length <= CHAIN_MAX_CHARACTERS)
    return value.toLowerCase()
  const id = withRequestErrors(() => readUint(value, 'chain', 'strict', SAFE_INTEGER_MAX))
  return id > 0n ? String(id) : refuse('chain', 'is 0; name one chain')
}

function readGas(gas: bigint | undefined): bigint | undefined {
  if (gas !== undefined && gas < GAS_MIN)
    refuse(
      'gas',
      `is ${gas}; a transaction needs at least ${GAS_MIN}; omit it to have it estimated`,
    )
  return gas
}

function readSpeed(value: unknown): TransactionSpeed {
  const speed = TRANSACTION_SPEEDS.find((known) => known === value)
  return speed ?? refuse('speed', `expected ${TRANSACTION_SPEEDS.join(', ')}`)
}

function readErrors(value: unknown): string[] {
  const errors = readList(value, 'errors', 'malformed_request')
  if (errors.length > TRANSACTION_ERRORS_MAX)
    refuse('errors', `has ${errors.length} entries; the limit is ${TRANSACTION_ERRORS_MAX}`)
  return errors.map((text, at) => readErrorSignature(text, `errors[${at}]`))
}

/** Returns the signature in one spelling, which is compared when a request is repeated. */
function readErrorSignature(text: unknown, path: string): string {
  if (typeof text === 'string' && text.length <= TRANSACTION_ERROR_MAX_CHARACTERS)
    try {
      return ErrorFragment.from(text).format('full')
    } catch {
      refuse(
        path,
        `${quoted(text)} is not the signature of an error, such as error Paused(uint256)`,
      )
    }
  return refuse(
    path,
    `expected the signature of an error, of at most ${TRANSACTION_ERROR_MAX_CHARACTERS} characters`,
  )
}

function refuse(path: string, problem: string): never {
  throw new TransactionRequestError(`${path}: ${problem}`)
}
