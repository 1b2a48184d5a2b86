/** Explains a transaction, based on the exact bytes that the wallet is going to sign. */
import type { Interface } from 'ethers'
import { accountHashOfWallet } from '../../../shared/crypto/typed-data.ts'
import { CONTRACT_CALLS } from './contract-calls.ts'
import type { Explanation } from './explanation.ts'
import type { NameLookup } from './name-lookup.ts'
import { refusalErrors } from './provider-rpc-error.ts'

const refusalError = refusalErrors('transaction')

export type AccountsChain = {
  chainId: bigint
  contractAddress: string
  chainName: string
  token: string
}

type TransactionRequest = {
  /** Parameter of `eth_sendTransaction`. Untrusted. */
  transaction: unknown
  address: string
  place: AccountsChain
  words: NameLookup
  /** Price in wei per unit of gas; undefined if the node does not report it. */
  gasPrice: bigint | undefined
}

/**
 * Fields that a transaction may have. `value` is not allowed, because it would transfer funds. The wallet chooses the
 * nonce and the fees.
 */
const ALLOWED_FIELDS: ReadonlySet<string> = new Set(['from', 'to', 'data', 'gas', 'chainId'])

/**
 * @throws {ProviderRpcError} unless the transaction is a call in `CONTRACT_CALLS` that changes this wallet's own
 *   account
 */
export async function explainTransaction(request: TransactionRequest): Promise<Explanation> {
  const { transaction, address, place, words, gasPrice } = request
  const { data, gas } = requireAccountsCall(transaction, address, place)
  const { name, args } = decodeCall(data, await contractInterface())
  const call = Object.hasOwn(CONTRACT_CALLS, name) ? CONTRACT_CALLS[name] : undefined
  if (!call) throw refusalError(`${name} is not an admin function`)
  const {
    isIrreversible = false,
    facts,
    ...explained
  } = call(requireOwnAccount(name, args, address), words)
  return {
    kind: 'transaction',
    ...explained,
    isIrreversible,
    facts: [
      ...facts,
      [
        'Contract',
        `${place.contractAddress}, the accounts contract on ${place.chainName} (${place.chainId})`,
      ],
      ['Function', name],
      ['Signed by', address],
      ['Cost', cost(BigInt(gas), gasPrice, place.token)],
    ],
  }
}

function requireAccountsCall(
  transaction: unknown,
  address: string,
  { chainId, contractAddress }: AccountsChain,
): { data: string; gas: string } {
  if (typeof transaction !== 'object' || transaction === null)
    throw refusalError('it is not a transaction')
  const unexpected = Object.keys(transaction).find((member) => !ALLOWED_FIELDS.has(member))
  if (unexpected !== undefined) throw refusalError(`it has an unexpected field: ${unexpected}`)
  const { from, to, data, gas, chainId: chain } = transaction as Record<string, unknown>
  if (!isString(from) || from.toLowerCase() !== address.toLowerCase())
    throw refusalError('its sender is another wallet')
  if (!isString(to) || to.toLowerCase() !== contractAddress.toLowerCase())
    throw refusalError('its recipient is not the accounts contract')
  if (!isString(data) || !isString(gas) || !/^0x[0-9a-f]+$/i.test(gas))
    throw refusalError('it is incomplete')
  if (chain !== `0x${chainId.toString(16)}`) throw refusalError('it is for another chain')
  return { data, gas }
}

/** ethers is imported on demand, because only wallet connections need it. */
async function contractInterface(): Promise<Interface> {
  const [{ Interface: Coding }, { accountConfigAbi }] = await Promise.all([
    import('ethers'),
    import('../../../shared/abi/account-config.ts'),
  ])
  return new Coding(accountConfigAbi)
}

const isString = (value: unknown): value is string => typeof value === 'string'

/** Encodes the result again and compares the bytes, to detect hidden trailing data. */
function decodeCall(data: string, coding: Interface): { name: string; args: readonly unknown[] } {
  let call
  let again
  try {
    call = coding.parseTransaction({ data })
    again = call && coding.encodeFunctionData(call.fragment, call.args)
  } catch {
    throw refusalError('its arguments cannot be decoded')
  }
  if (!call) throw refusalError('the accounts contract does not have this function')
  if (again !== data.toLowerCase())
    throw refusalError('it contains additional data that cannot be decoded')
  return { name: call.name, args: call.args }
}

function requireOwnAccount(name: string, args: readonly any[], address: string): readonly any[] {
  if (name === 'newChainSecuredAccount') return args
  const [hash, ...others] = args
  if (BigInt(hash) !== BigInt(accountHashOfWallet(address)))
    throw refusalError('it changes another account')
  return others
}

/** The actual cost is lower, because the gas limit includes a margin of one fifth. */
function cost(gas: bigint, gasPrice: bigint | undefined, token: string): string {
  const units = `gas, up to ${gas.toLocaleString('en')} units`
  if (gasPrice === undefined) return `${units}; your wallet shows the price`
  return `${units}: at most about ${formatCoins(gas * gasPrice)} ${token}`
}

const COIN_DECIMALS = 18
const SHOWN_DECIMALS = 9

function formatCoins(wei: bigint): string {
  const smallest = 10n ** BigInt(COIN_DECIMALS - SHOWN_DECIMALS)
  // Rounds up, so that the shown cost is never too low.
  const parts = (wei + smallest - 1n) / smallest
  const digits = String(parts).padStart(SHOWN_DECIMALS + 1, '0')
  const whole = digits.slice(0, -SHOWN_DECIMALS)
  return `${whole}.${digits.slice(-SHOWN_DECIMALS)}`.replace(/\.?0+$/, '')
}
