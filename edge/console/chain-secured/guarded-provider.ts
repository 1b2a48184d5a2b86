/**
 * Wraps a wallet's provider so that the wallet never signs or sends anything before its exact bytes are explained to
 * the person. All of the client's requests to the wallet go through this provider.
 */
import type { Eip1193Provider } from '../../../shared/client/sovereign/signer.ts'
import type { AccountView } from '../../../shared/client/sovereign/contract-coding.ts'
import { explainedProof } from './explain-proof.ts'
import { explainedTransaction, type Place } from './explain-transaction.ts'
import type { Consent, Explanation } from './explanation.ts'
import { inWords } from './in-words.ts'
import { patiently } from './patiently.ts'
import { RpcError, UNAUTHORIZED, UNSUPPORTED } from './rpc-error.ts'

type Parts = {
  wallet: Eip1193Provider
  /** Requests are refused if the wallet switches to another address. */
  address: string
  place: Place
  consent: Consent
  /** Used for the names of the account's items. Undefined if the account does not exist. */
  account: () => Promise<AccountView | undefined>
  /** Unix milliseconds. */
  now: () => number
}

/** The wallet forwards these to a node. They sign nothing, so they need no consent. */
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

  const answered = (what: string, question: Promise<unknown>) => patiently(consent, what, question)

  const read = (method: string, params: readonly unknown[]) =>
    answered('answer', wallet.request({ method, params }))

  const requireAddress = async (): Promise<string[]> => {
    const accounts = await answered(
      'show its address',
      wallet.request({ method: 'eth_requestAccounts' }),
    )
    const [first] = Array.isArray(accounts) ? (accounts as unknown[]) : []
    if (typeof first === 'string' && first.toLowerCase() === address.toLowerCase()) return [address]
    throw new RpcError(
      UNAUTHORIZED,
      `the wallet now uses another address, but this page shows the account of ${address}: select that address in the wallet, or connect again`,
    )
  }

  const requireChain = async (): Promise<void> => {
    const chainId = await read('eth_chainId', [])
    if (BigInt(chainId as string) === place.chainId) return
    throw new RpcError(UNSUPPORTED, `the wallet is no longer on ${place.chainName}`)
  }

  const gasPrice = async (): Promise<bigint | undefined> => {
    try {
      return BigInt((await read('eth_gasPrice', [])) as string)
    } catch {
      return undefined
    }
  }

  const askedFor = async (explanation: Explanation, method: string, params: readonly unknown[]) => {
    const { title } = explanation
    await consent.explained(explanation)
    consent.asked()
    let isLate = false
    try {
      // The address or chain may have changed while the person was reading the explanation.
      await requireAddress()
      await requireChain()
      const question = wallet.request({ method, params })
      if (explanation.kind === 'transaction')
        question.then((transaction) => consent.sent({ title, transaction, isLate }), nothing)
      return await answered(title, question)
    } finally {
      isLate = true
      consent.ended()
    }
  }

  const send = async ([transaction]: readonly unknown[]) => {
    const [words, price] = await Promise.all([
      account().then(inWords, () => inWords(undefined)),
      gasPrice(),
    ])
    const asked = { transaction, address, place, words, gasPrice: price }
    // Copied, so that the caller cannot change the transaction between explanation and sending.
    const copy = structuredClone(transaction)
    const explanation = await explainedTransaction({ ...asked, transaction: copy })
    return askedFor(explanation, 'eth_sendTransaction', [copy])
  }

  const sign = async ([signer, text]: readonly unknown[]) => {
    if (typeof signer !== 'string' || signer.toLowerCase() !== address.toLowerCase())
      throw new RpcError(UNAUTHORIZED, 'the signer is another wallet')
    const explanation = explainedProof({ text, address, chainId: place.chainId, now: now() })
    // Serialized again, because a wallet could interpret duplicate keys differently than the explanation.
    const asRead = JSON.stringify(JSON.parse(String(text)))
    return askedFor(explanation, 'eth_signTypedData_v4', [address, asRead])
  }

  const change = async (params: readonly unknown[]) => {
    const wanted = (params[0] as { chainId?: unknown } | undefined)?.chainId
    if (wanted !== `0x${place.chainId.toString(16)}`)
      throw new RpcError(UNSUPPORTED, 'this is not the chain of the accounts')
    return answered(
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
      if (method === 'wallet_switchEthereumChain') return change(given)
      throw new RpcError(UNSUPPORTED, `this page does not allow ${method}`)
    },
  }
}

const nothing = () => undefined
