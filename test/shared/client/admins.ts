/** Admin wallets at a real origin and chain, and their clients. */
import { type HDNodeWallet, JsonRpcProvider, Wallet } from 'ethers'
import { createClient } from '../../../shared/client/client.ts'
import type { SovereignOptions, Step } from '../../../shared/client/options.ts'
import type { EthereumSigner } from '../../../shared/client/sovereign/signer.ts'
import { type BrowserWallet, browserWallet } from '../../doubles/eip1193-wallet.ts'
import { sovereignAt } from '../../origin/client/client-of.ts'
import { makeChainSecured } from '../../origin/http/chain-secured.ts'
import { startOrigin } from '../../origin/http/origin.ts'

type SomeWallet = Wallet | HDNodeWallet

/** Starts an origin and chain. `close` stops everything. */
export async function startAdmins() {
  const origin = await startOrigin()
  const options = { staticNetwork: true, cacheTimeout: -1 }
  const node = new JsonRpcProvider(origin.rpcUrl, undefined, options)
  const opened: BrowserWallet[] = []

  /** Creates a client in ChainSecured mode that records the steps of its writes. */
  function clientOf(signer: EthereumSigner, more: Partial<SovereignOptions> = {}) {
    const steps: Step[] = []
    const client = createClient({
      ...sovereignAt(origin),
      sleep,
      signer,
      onStep: (step) => void steps.push(step),
      ...more,
    })
    return { ...client, steps }
  }

  async function funded(wallet: SomeWallet = Wallet.createRandom()) {
    await node.send('anvil_setBalance', [wallet.address, '0x8ac7230489e80000'])
    return wallet.connect(node)
  }

  const injected = async (wallet: SomeWallet) => {
    const browser = await browserWallet(wallet, origin.rpcUrl)
    opened.push(browser)
    return browser
  }

  const SIGNERS = {
    'a signer of ethers': async (wallet: SomeWallet) => wallet.connect(node),
    'an EIP-1193 provider': injected,
  }

  /** Converts an account. @returns its admin and their client */
  async function converted(signerOf: (wallet: SomeWallet) => Promise<EthereumSigner>) {
    const key = await origin.account()
    const admin = await makeChainSecured(origin, key)
    await funded(admin)
    return { admin, client: clientOf(await signerOf(admin)) }
  }

  async function close(): Promise<void> {
    for (const wallet of opened) wallet.close()
    node.destroy()
    await origin.close()
  }

  return { origin, node, clientOf, funded, injected, SIGNERS, converted, close }
}

export const sleep = (ms: number, signal?: AbortSignal) =>
  new Promise<void>((resolve, reject) => {
    signal?.throwIfAborted()
    signal?.addEventListener('abort', () => reject(signal.reason), { once: true })
    setTimeout(resolve, ms)
  })

export const failureOf = async (promise: Promise<unknown>): Promise<any> =>
  promise.then(
    () => Promise.reject(new Error('it did not fail')),
    (error: unknown) => error,
  )
