import { NoWallet } from './wallet-failures.ts'
import type { Eip1193Provider, EthereumSigner, EthersSigner, WalletAdapter } from './signer.ts'

/** @throws {NoWallet} for a value that is not a wallet, or an ethers signer that cannot reach a node */
export function walletOf(signer: EthereumSigner): WalletAdapter {
  if ('request' in signer && typeof signer.request === 'function') return eip1193Wallet(signer)
  if ('signTypedData' in signer && typeof signer.signTypedData === 'function')
    return ethersWallet(signer)
  throw new NoWallet('The signer is neither an EIP-1193 provider nor an ethers v6 signer.')
}

function eip1193Wallet(provider: Eip1193Provider): WalletAdapter {
  const read: WalletAdapter['read'] = (method, params) => provider.request({ method, params })
  return {
    read,
    address: async () => {
      const accounts = await provider.request({ method: 'eth_requestAccounts' })
      const [first] = Array.isArray(accounts) ? (accounts as unknown[]) : []
      return requireHexResponse(first, 'eth_requestAccounts', 'an address')
    },
    signTypedData: async (address, typedData) => {
      const params = [address, JSON.stringify(typedData)]
      const signature = await provider.request({ method: 'eth_signTypedData_v4', params })
      return requireHexResponse(signature, 'eth_signTypedData_v4', 'a signature')
    },
    send: async (call) =>
      requireHexResponse(
        await read('eth_sendTransaction', [call]),
        'eth_sendTransaction',
        'a hash',
      ),
    switchChain: async (chainId) => {
      await read('wallet_switchEthereumChain', [{ chainId }])
    },
  }
}

function ethersWallet(signer: EthersSigner): WalletAdapter {
  const { provider } = signer
  if (!provider)
    throw new NoWallet('The signer has no provider: connect it to one, `wallet.connect(provider)`.')
  // Only `send` is used, because the provider's other methods cache responses for 250 ms, and a new block may arrive
  // during this time.
  if (!('send' in provider) || typeof provider.send !== 'function')
    throw new NoWallet('The signer’s provider has no `send`: connect it to a `JsonRpcProvider`.')
  const node = provider as { send(method: string, params: readonly unknown[]): Promise<unknown> }
  return {
    address: () => signer.getAddress(),
    read: (method, params) => node.send(method, params),
    signTypedData: (_address, { domain, types, message }) => {
      // ethers computes the domain type itself, and rejects an explicit one.
      const { EIP712Domain: _domain, ...others } = types
      const own = Object.entries(others).map(([name, members]) => [name, [...members]])
      return signer.signTypedData(domain, Object.fromEntries(own), message)
    },
    send: async ({ gas, chainId, ...call }) => {
      const transaction = { ...call, gasLimit: gas, chainId }
      // If the node manages the key, the node assigns the nonce. Other signers would get the nonce from the provider's
      // cache, which may not include the latest transaction yet.
      if ('sendUncheckedTransaction' in signer)
        return (await signer.sendTransaction(transaction)).hash
      const count = await node.send('eth_getTransactionCount', [call.from, 'pending'])
      return (await signer.sendTransaction({ ...transaction, nonce: Number(count) })).hash
    },
  }
}

function requireHexResponse(answer: unknown, method: string, expected: string): string {
  if (typeof answer === 'string' && answer.startsWith('0x')) return answer
  throw new NoWallet(`The wallet’s response to ${method} is not ${expected}.`)
}
