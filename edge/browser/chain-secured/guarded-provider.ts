/**
 * Wraps a wallet's provider so that the wallet never signs or sends anything before its exact bytes are explained to
 * the person. All of the client's requests to the wallet go through this provider.
 */
import type { Eip1193Provider } from '../../../shared/client/sovereign/signer.ts'
import type { AccountView } from '../../../shared/client/sovereign/contract-codec.ts'
import { explainProof } from './explain-proof.ts'
import { explainTransaction, type AccountsChain } from './explain-transaction.ts'
import type { Consent, Explanation } from './explanation.ts'
import { nameLookup } from './name-lookup.ts'
import { waitUnlessStopped } from './wait-unless-stopped.ts'
import { ProviderRpcError, UNAUTHORIZED, UNSUPPORTED } from './provider-rpc-error.ts'

type Parts = {
  wallet: Eip1193Provider
  /** Address of the wallet. Requests are refused if the wallet switches to another address. */
  address: string
  place: AccountsChain
  consent: Consent
  account: () => Promise<AccountView | undefined>
  now: () => number
}

/** Methods that the wallet forwards to a node. They sign nothing, so they require no consent. */
const READS: ReadonlySet<string> = new Set([
  'eth_blockNumber',
  'eth_call',
  'eth_chainId',
  'eth_estimateGas',
  'eth_gasPrice',
  'eth_getBlockByNumber',
  'eth_getCode',
  'eth_getTransactionByHash',
  'eth_getTransactionCount',
  'eth_getTransactionReceipt',
])

export function guardedProvider(parts: Parts): Eip1193Provider {
  const { wallet, address, place, consent, account, now } = parts

  const waitFor = (what: string, question: Promise<unknown>) =>
    waitUnlessStopped(consent, what, question)

  const read = (method: string, params: readonly unknown[]) =>
    waitFor('answer', wallet.request({ method, params }))

  const requireAddress = async (): Promise<string[]> => {
    const accounts = await waitFor(
      'show its address',
      wallet.request({ method: 'eth_requestAccounts' }),
    )
    const [first] = Array.isArray(accounts) ? (accounts as unknown[]) : []
    if (typeof first === 'string' && first.toLowerCase() === address.toLowerCase()) return [address]
    throw new ProviderRpcError(
      UNAUTHORIZED,
      `the wallet now uses another address, but this page shows the account of ${address}: select that address in the wallet, or connect again`,
    )
  }

  const requireChain = async (): Promise<void> => {
    const chainId = await read('eth_chainId', [])
    if (BigInt(chainId as string) === place.chainId) return
    throw new ProviderRpcError(UNSUPPORTED, `the wallet is no longer on ${place.chainName}`)
  }

  const gasPrice = async (): Promise<bigint | undefined> => {
    try {
      return BigInt((await read('eth_gasPrice', [])) as string)
    } catch {
      return undefined
    }
  }

  const confirmAndRequest = async (
    explanation: Explanation,
    method: string,
    params: readonly unknown[],
  ) => {
    const { title } = explanation
    await consent.confirm(explanation)
    consent.requested()
    let isLate = false
    try {
      // Checks again, because the address or the chain may have changed while the person was reading the explanation.
      await requireAddress()
      await requireChain()
      const question = wallet.request({ method, params })
      if (explanation.kind === 'transaction')
        question.then(
          (transaction) => consent.sent({ title, transaction, isLate }),
          () => {},
        )
      return await waitFor(title, question)
    } finally {
      isLate = true
      consent.ended()
    }
  }

  const send = async ([transaction]: readonly unknown[]) => {
    const [words, price] = await Promise.all([
      account().then(nameLookup, () => nameLookup(undefined)),
      gasPrice(),
    ])
    const request = { transaction, address, place, words, gasPrice: price }
    // Copies the transaction, so that the caller cannot change it after it was explained.
    const copy = structuredClone(transaction)
    const explanation = await explainTransaction({ ...request, transaction: copy })
    return confirmAndRequest(explanation, 'eth_sendTransaction', [copy])
  }

  const sign = async ([signer, text]: readonly unknown[]) => {
    if (typeof signer !== 'string' || signer.toLowerCase() !== address.toLowerCase())
      throw new ProviderRpcError(UNAUTHORIZED, 'the signer is another wallet')
    const explanation = explainProof({ text, address, chainId: place.chainId, now: now() })
    // Serializes the proof again, because a wallet could interpret duplicate keys differently than the explanation
    // does.
    const canonicalText = JSON.stringify(JSON.parse(String(text)))
    return confirmAndRequest(explanation, 'eth_signTypedData_v4', [address, canonicalText])
  }

  const switchChain = async (params: readonly unknown[]) => {
    const wanted = (params[0] as { chainId?: unknown } | undefined)?.chainId
    if (wanted !== `0x${place.chainId.toString(16)}`)
      throw new ProviderRpcError(UNSUPPORTED, 'this is not the chain of the accounts')
    return waitFor(
      `switch to ${place.chainName}`,
      wallet.request({ method: 'wallet_switchEthereumChain', params }),
    )
  }

  return {
    request: async ({ method, params = [] }) => {
      const given = params as readonly unknown[]
      if (READS.has(method)) return read(method, given)
      if (method === 'eth_requestAccounts') return requireAddress()
      if (method === 'eth_sendTransaction') return send(given)
      if (method === 'eth_signTypedData_v4') return sign(given)
      if (method === 'wallet_switchEthereumChain') return switchChain(given)
      throw new ProviderRpcError(UNSUPPORTED, `this page does not allow ${method}`)
    },
  }
}
