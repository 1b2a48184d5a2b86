/** Explains a transaction from the exact bytes that the wallet is about to sign. */
import type { Interface } from 'ethers'
import { accountHashOfWallet } from '../../../shared/typed-data.ts'
import { CONTRACT_CALLS } from './contract-calls.ts'
import type { Explanation } from './explanation.ts'
import type { Words } from './in-words.ts'
import { RpcError, UNSUPPORTED } from './rpc-error.ts'

/** The chain and contract that hold the accounts, as reported by the service (`get_node_chain_config`). */
export type Place = {
  chainId: bigint
  contractAddress: string
  /** Name of the chain. `token` is the symbol of its coin. */
  chainName: string
  token: string
}

type Asked = {
  /** The transaction passed to `eth_sendTransaction`. */
  transaction: unknown
  /** Address of the signing wallet. */
  address: string
  place: Place
  words: Words
  /** Wei per unit of gas; undefined if the node does not report it. */
  gasPrice: bigint | undefined
}

/** Fields that a transaction may have. A `value` would transfer funds; nonce and fees are for the wallet to choose. */
const MEMBERS: ReadonlySet<string> = new Set(['from', 'to', 'data', 'gas', 'chainId'])

/** @throws {RpcError} unless it is a write in `CONTRACT_CALLS` to this wallet's own account */
export async function explainedTransaction(asked: Asked): Promise<Explanation> {
  const { transaction, address, place, words, gasPrice } = asked
  const { data, gas } = requireOurs(transaction, address, place)
  const { name, args } = decoded(data, await contract())
  const call = Object.hasOwn(CONTRACT_CALLS, name) ? CONTRACT_CALLS[name] : undefined
  if (!call) throw refusal(`${name} is not what an admin does`)
  const { forEver = false, facts, ...explained } = call(ownArgs(name, args, address), words)
  return {
    kind: 'transaction',
    ...explained,
    forEver,
    facts: [
      ...facts,
      [
        'Contract',
        `${place.contractAddress}, the accounts on ${place.chainName} (${place.chainId})`,
      ],
      ['Function', name],
      ['Signed by', address],
      ['Costs', cost(BigInt(gas), gasPrice, place.token)],
    ],
  }
}

/** The fields of a validated transaction that are needed later. */
type Ours = { data: string; gas: string }

function requireOurs(
  transaction: unknown,
  address: string,
  { chainId, contractAddress }: Place,
): Ours {
  if (typeof transaction !== 'object' || transaction === null) throw refusal('it is no transaction')
  const stranger = Object.keys(transaction).find((member) => !MEMBERS.has(member))
  if (stranger !== undefined) throw refusal(`it has a ${stranger}`)
  const { from, to, data, gas, chainId: chain } = transaction as Record<string, unknown>
  if (!isText(from) || from.toLowerCase() !== address.toLowerCase())
    throw refusal('another wallet would send it')
  if (!isText(to) || to.toLowerCase() !== contractAddress.toLowerCase())
    throw refusal('it goes to another contract than that of the accounts')
  if (!isText(data) || !isText(gas) || !/^0x[0-9a-f]+$/i.test(gas)) throw refusal('it is not whole')
  if (chain !== `0x${chainId.toString(16)}`) throw refusal('it is for another chain')
  return { data, gas }
}

/** Imports ethers, a separate script that loads only once a wallet is connected. */
async function contract(): Promise<Interface> {
  const [{ Interface: Coding }, { accountConfigAbi }] = await Promise.all([
    import('ethers'),
    import('../../../shared/abi/account-config.ts'),
  ])
  return new Coding(accountConfigAbi)
}

const isText = (value: unknown): value is string => typeof value === 'string'

/** Decodes the call. Re-encodes it and compares the bytes, so that no trailing data is hidden in it. */
function decoded(data: string, coding: Interface): { name: string; args: readonly unknown[] } {
  let call
  let again
  try {
    call = coding.parseTransaction({ data })
    again = call && coding.encodeFunctionData(call.fragment, call.args)
  } catch {
    throw refusal('its arguments can not be read')
  }
  if (!call) throw refusal('the contract of the accounts has no such function')
  if (again !== data.toLowerCase()) throw refusal('there is more in it than can be read')
  return { name: call.name, args: call.args }
}

/** Returns the arguments after the first one, which must be the account hash of this wallet. */
function ownArgs(name: string, args: readonly any[], address: string): readonly any[] {
  if (name === 'newChainSecuredAccount') return args
  const [hash, ...others] = args
  if (BigInt(hash) !== BigInt(accountHashOfWallet(address)))
    throw refusal('it changes an account of somebody else')
  return others
}

/** Formats the maximum cost. The gas limit includes a margin of one fifth, so the actual cost is lower. */
function cost(gas: bigint, gasPrice: bigint | undefined, token: string): string {
  const units = `gas, up to ${gas.toLocaleString('en')} units`
  if (gasPrice === undefined) return `${units}; the wallet says at which price`
  return `${units}: about ${inCoins(gas * gasPrice)} ${token} at most`
}

const COIN_DECIMALS = 18
const SHOWN_DECIMALS = 9

function inCoins(wei: bigint): string {
  const smallest = 10n ** BigInt(COIN_DECIMALS - SHOWN_DECIMALS)
  // Rounds up, so that the displayed cost is never too low.
  const parts = (wei + smallest - 1n) / smallest
  const digits = String(parts).padStart(SHOWN_DECIMALS + 1, '0')
  const whole = digits.slice(0, -SHOWN_DECIMALS)
  return `${whole}.${digits.slice(-SHOWN_DECIMALS)}`.replace(/\.?0+$/, '')
}

const refusal = (why: string) =>
  new RpcError(UNSUPPORTED, `this page refuses to have it sent: ${why}`)
