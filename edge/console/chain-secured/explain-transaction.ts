/** What a transaction does, read from the very bytes that the wallet is asked to sign. */
import type { Interface } from 'ethers'
import { accountHashOfWallet } from '../../../shared/typed-data.ts'
import { CONTRACT_CALLS } from './contract-calls.ts'
import type { Explanation } from './explanation.ts'
import type { Words } from './in-words.ts'
import { RpcError, UNSUPPORTED } from './rpc-error.ts'

/** Where the accounts are, as the service says it (`get_node_chain_config`). */
export type Place = {
  chainId: bigint
  contractAddress: string
  /** What the chain is called, and its coin. */
  chainName: string
  token: string
}

type Asked = {
  /** As it goes to `eth_sendTransaction`. */
  transaction: unknown
  /** Of the wallet, which signs. */
  address: string
  place: Place
  words: Words
  /** Wei for a unit of gas; absent where the node does not say. */
  gasPrice: bigint | undefined
}

/** Nothing else may be in it: a value would be sent away, a nonce or a fee is the wallet's to choose. */
const MEMBERS: ReadonlySet<string> = new Set(['from', 'to', 'data', 'gas', 'chainId'])

/** @throws {RpcError} for anything but a write of this wallet's own account that is in `CONTRACT_CALLS` */
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

/** What of a transaction of ours is read further. */
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

/** ethers comes in a script of its own, when a wallet is there. */
async function contract(): Promise<Interface> {
  const [{ Interface: Coding }, { accountConfigAbi }] = await Promise.all([
    import('ethers'),
    import('../../../shared/abi/account-config.ts'),
  ])
  return new Coding(accountConfigAbi)
}

const isText = (value: unknown): value is string => typeof value === 'string'

/** The call, where the bytes are exactly those that it is written as: nothing stands behind it. */
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

/** Without the first, which has to name the wallet's own account. */
function ownArgs(name: string, args: readonly any[], address: string): readonly any[] {
  if (name === 'newChainSecuredAccount') return args
  const [hash, ...others] = args
  if (BigInt(hash) !== BigInt(accountHashOfWallet(address)))
    throw refusal('it changes an account of somebody else')
  return others
}

/** What is offered at most is more than what is taken: the limit has a fifth to spare. */
function cost(gas: bigint, gasPrice: bigint | undefined, token: string): string {
  const units = `gas, up to ${gas.toLocaleString('en')} units`
  if (gasPrice === undefined) return `${units}; the wallet says at which price`
  return `${units}: about ${inCoins(gas * gasPrice)} ${token} at most`
}

const COIN_DECIMALS = 18
const SHOWN_DECIMALS = 9

function inCoins(wei: bigint): string {
  const smallest = 10n ** BigInt(COIN_DECIMALS - SHOWN_DECIMALS)
  // Up, so that what is said is never too little.
  const parts = (wei + smallest - 1n) / smallest
  const digits = String(parts).padStart(SHOWN_DECIMALS + 1, '0')
  const whole = digits.slice(0, -SHOWN_DECIMALS)
  return `${whole}.${digits.slice(-SHOWN_DECIMALS)}`.replace(/\.?0+$/, '')
}

const refusal = (why: string) =>
  new RpcError(UNSUPPORTED, `this page refuses to have it sent: ${why}`)
