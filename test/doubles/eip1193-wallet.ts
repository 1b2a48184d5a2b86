/**
 * EIP-1193 browser wallet on a real node. Handles the wallet's own methods with a key in this process, and forwards all
 * others to the node.
 */
import { type BaseWallet, JsonRpcProvider, Network } from 'ethers'
import type { Eip1193Provider } from '../../shared/client/sovereign/signer.ts'

/** Response of the wallet's owner; `no` is the EIP-1193 rejection 4001. */
type Answer = 'yes' | 'no'

export type BrowserWallet = Eip1193Provider & {
  /** Methods called so far. */
  asked: string[]
  /** Sets the owner's response from now on. */
  answer: (answer: Answer) => void
  /** Moves the wallet to another chain. If `knows`, it switches to any requested chain. */
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

/** Forwards a node's error with its code, message and data, as wallets do. */
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
