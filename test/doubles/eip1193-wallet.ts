/**
 * A browser's wallet as EIP-1193 has it, over a real node: what is the wallet's own business is done here with a key of
 * this process, everything else is the node's to answer.
 */
import { type BaseWallet, JsonRpcProvider, Network } from 'ethers'
import type { Eip1193Provider } from '../../shared/client/sovereign/signer.ts'

/** What the owner is asked, and how they answer: `no` is the refusal of EIP-1193, 4001. */
type Answer = 'yes' | 'no'

export type BrowserWallet = Eip1193Provider & {
  /** Methods so far. */
  asked: string[]
  /** Says how the owner answers from now on. */
  answer: (answer: Answer) => void
  /** The wallet is on another chain; where `knows`, it changes to any that it is asked to. */
  beOnChain: (chainId: bigint, knows: boolean) => void
  close: () => void
}

const ASKS_ITS_OWNER = ['eth_requestAccounts', 'eth_signTypedData_v4', 'eth_sendTransaction']

export async function browserWallet(key: BaseWallet, rpcUrl: string): Promise<BrowserWallet> {
  const node = new JsonRpcProvider(rpcUrl, undefined, { cacheTimeout: -1 })
  const { chainId } = await node.getNetwork()
  const fixed = { staticNetwork: Network.from(chainId), cacheTimeout: -1 }
  const signing = key.connect(new JsonRpcProvider(rpcUrl, chainId, fixed))
  const asked: string[] = []
  let owner: Answer = 'yes'
  let current = chainId
  let knowsOthers = true

  const answers: Record<string, (params: any[]) => Promise<unknown>> = {
    eth_chainId: async () => `0x${current.toString(16)}`,
    eth_requestAccounts: async () => [key.address],
    eth_signTypedData_v4: async ([address, text]) => {
      if (address.toLowerCase() !== key.address.toLowerCase())
        throw rpcError(-32_602, 'another wallet’s address')
      const { types, domain, message } = JSON.parse(text)
      const { EIP712Domain, ...others } = types
      if (!EIP712Domain) throw rpcError(-32_602, 'the typed data names no type of its domain')
      return key.signTypedData(domain, others, message)
    },
    eth_sendTransaction: async ([{ gas, ...call }]) =>
      (await signing.sendTransaction({ ...call, gasLimit: gas })).hash,
    wallet_switchEthereumChain: async ([{ chainId: wanted }]) => {
      if (!knowsOthers) throw rpcError(4902, 'Unrecognized chain ID. Try adding it first.')
      current = BigInt(wanted)
      return null
    },
  }

  return {
    asked,
    answer: (answer) => {
      owner = answer
    },
    beOnChain: (other, knows) => {
      current = other
      knowsOthers = knows
    },
    request: async ({ method, params = [] }) => {
      asked.push(method)
      if (owner === 'no' && ASKS_ITS_OWNER.includes(method))
        throw rpcError(4001, 'User rejected the request.')
      const own = answers[method]
      return own ? own(params as any[]) : passedOn(node, method, params as unknown[])
    },
    close: () => {
      node.destroy()
      signing.provider?.destroy()
    },
  }
}

/** As wallets pass a node's error on: its code, words and data. */
async function passedOn(node: JsonRpcProvider, method: string, params: unknown[]) {
  try {
    return await node.send(method, params)
  } catch (error: any) {
    const inner = error?.info?.error ?? error?.error
    throw inner ? rpcError(inner.code, inner.message, inner.data) : error
  }
}

function rpcError(code: number, message: string, data?: unknown): Error {
  return Object.assign(new Error(message), { code, ...(data !== undefined && { data }) })
}
