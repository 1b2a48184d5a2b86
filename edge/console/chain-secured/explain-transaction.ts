/** Explains a transaction from the exact bytes that the wallet is going to sign. */
import type { Interface } from 'ethers'
import { accountHashOfWallet } from '../../../shared/typed-data.ts'
import { CONTRACT_CALLS } from './contract-calls.ts'
import type { Explanation } from './explanation.ts'
import type { Words } from './in-words.ts'
import { RpcError, UNSUPPORTED } from './rpc-error.ts'

/** As reported by the service (`get_node_chain_config`). */
export type Place = {
  chainId: bigint
  contractAddress: string
  /** `token` is the symbol of the chain's native coin. */
  chainName: string
  token: string
}

type Asked = {
  /** Transaction for `eth_sendTransaction`. Untrusted. */
  transaction: unknown
  /** Address of the signing wallet. */
  address: string
  place: Place
  words: Words
  /** Wei per unit of gas; undefined if the node does not report it. */
  gasPrice: bigint | undefined
}

/** `value` is not allowed, because it would transfer funds. The wallet chooses the nonce and the fees. */
const MEMBERS: ReadonlySet<string> = new Set(['from', 'to', 'data', 'gas', 'chainId'])

/** @throws {RpcError} if the transaction is not a call in `CONTRACT_CALLS` that changes this wallet's own account */
export async function explainedTransaction(asked: Asked): Promise<Explanation> {
  const { transaction, address, place, words, gasPrice } = asked
  const { data, gas } = requireOurs(transaction, address, place)
  const { name, args } = decoded(data, await contract())
  const call = Object.hasOwn(CONTRACT_CALLS, name) ? CONTRACT_CALLS[name] : undefined
  if (!call) throw refusal(`${name} is not an admin function`)
  const { forEver = false, facts, ...explained } = call(ownArgs(name, args, address), words)
  return {
    kind: 'transaction',
    ...explained,
    forEver,
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

type Ours = { data: string; gas: string }

function requireOurs(
  transaction: unknown,
  address: string,
  { chainId, contractAddress }: Place,
): Ours {
  if (typeof transaction !== 'object' || transaction === null)
    throw refusal('it is not a transaction')
  const stranger = Object.keys(transaction).find((member) => !MEMBERS.has(member))
  if (stranger !== undefined) throw refusal(`it has an unexpected field: ${stranger}`)
  const { from, to, data, gas, chainId: chain } = transaction as Record<string, unknown>
  if (!isText(from) || from.toLowerCase() !== address.toLowerCase())
    throw refusal('its sender is another wallet')
  if (!isText(to) || to.toLowerCase() !== contractAddress.toLowerCase())
    throw refusal('its recipient is not the accounts contract')
  if (!isText(data) || !isText(gas) || !/^0x[0-9a-f]+$/i.test(gas))
    throw refusal('it is incomplete')
  if (chain !== `0x${chainId.toString(16)}`) throw refusal('it is for another chain')
  return { data, gas }
}

/** Imports ethers on demand, because only wallet connections need it. */
async function contract(): Promise<Interface> {
  const [{ Interface: Coding }, { accountConfigAbi }] = await Promise.all([
    import('ethers'),
    import('../../../shared/abi/account-config.ts'),
  ])
  return new Coding(accountConfigAbi)
}

const isText = (value: unknown): value is string => typeof value === 'string'

/** Encodes the result again and compares the bytes, to detect hidden trailing data. */
function decoded(data: string, coding: Interface): { name: string; args: readonly unknown[] } {
  let call
  let again
  try {
    call = coding.parseTransaction({ data })
    again = call && coding.encodeFunctionData(call.fragment, call.args)
  } catch {
    throw refusal('its arguments cannot be decoded')
  }
  if (!call) throw refusal('the accounts contract does not have this function')
  if (again !== data.toLowerCase())
    throw refusal('it contains additional data that cannot be decoded')
  return { name: call.name, args: call.args }
}

/** Requires the first argument to be this wallet's account hash, and returns the others. */
function ownArgs(name: string, args: readonly any[], address: string): readonly any[] {
  if (name === 'newChainSecuredAccount') return args
  const [hash, ...others] = args
  if (BigInt(hash) !== BigInt(accountHashOfWallet(address)))
    throw refusal('it changes another account')
  return others
}

/** Maximum cost. The actual cost is lower, because the gas limit includes a margin of one fifth. */
function cost(gas: bigint, gasPrice: bigint | undefined, token: string): string {
  const units = `gas, up to ${gas.toLocaleString('en')} units`
  if (gasPrice === undefined) return `${units}; your wallet shows the price`
  return `${units}: at most about ${inCoins(gas * gasPrice)} ${token}`
}

const COIN_DECIMALS = 18
const SHOWN_DECIMALS = 9

function inCoins(wei: bigint): string {
  const smallest = 10n ** BigInt(COIN_DECIMALS - SHOWN_DECIMALS)
  // Rounds up, so that the cost is never too low.
  const parts = (wei + smallest - 1n) / smallest
  const digits = String(parts).padStart(SHOWN_DECIMALS + 1, '0')
  const whole = digits.slice(0, -SHOWN_DECIMALS)
  return `${whole}.${digits.slice(-SHOWN_DECIMALS)}`.replace(/\.?0+$/, '')
}

const refusal = (why: string) =>
  new RpcError(UNSUPPORTED, `this page refused to request the transaction: ${why}`)
