/**
 * Browser wallets, injected into each page as extensions do (EIP-6963). Requests are answered by a wallet on the
 * stack's own chain (`test/doubles/eip1193-wallet.ts`), or by answers that a test sets.
 */
import { randomUUID } from 'node:crypto'
import { JsonRpcProvider, Wallet } from 'ethers'
import type { Page } from 'playwright-core'
import { type BrowserWallet, browserWallet } from '../doubles/eip1193-wallet.ts'
import { evaluate } from './evaluate.ts'

const FUNDS = '0x8ac7230489e80000'

type Announced = { uuid: string; name: string; rdns: string; icon: string }
type Answers = Record<string, (params: any) => unknown>

export class InjectedWallet {
  readonly info: Announced
  readonly address: string
  /** Controls how the owner responds, and the wallet's chain. */
  readonly owner: BrowserWallet
  /** Overrides the wallet's answers by method, to simulate a lying or silent wallet. */
  readonly answers: Answers = {}
  #emit: (event: string, value: unknown) => Promise<void> = async () => {}

  private constructor(owner: BrowserWallet, address: string, info: Partial<Announced>) {
    this.owner = owner
    this.address = address
    this.info = { uuid: randomUUID(), name: 'Fox', rdns: 'io.example.fox', icon: ICON, ...info }
  }

  /** A new wallet with funds for its transactions. */
  static async funded(chainUrl: string, info: Partial<Announced> = {}): Promise<InjectedWallet> {
    const node = new JsonRpcProvider(chainUrl, undefined, { staticNetwork: true })
    const key = Wallet.createRandom()
    await node.send('anvil_setBalance', [key.address, FUNDS])
    node.destroy()
    return new InjectedWallet(await browserWallet(key, chainUrl), key.address, info)
  }

  /** Injects the wallet into every document that the page opens from now on. */
  async injectInto(page: Page): Promise<void> {
    const ask = `ask_${this.info.uuid.replaceAll('-', '')}`
    await page.exposeFunction(ask, (method: string, params: unknown) =>
      this.#answer(method, params),
    )
    await page.addInitScript(announce, { info: this.info, ask })
    this.#emit = async (event, value) => {
      await evaluate(page, `globalThis.${ask}_emit(${JSON.stringify([event, value])})`)
    }
  }

  /** Emits a provider event (EIP-1193). */
  emit(event: 'accountsChanged' | 'chainChanged' | 'disconnect', value: unknown): Promise<void> {
    return this.#emit(event, value)
  }

  /** Signing and sending methods that the page called. */
  get signed(): string[] {
    return this.owner.asked.filter((method) => /sign|send/i.test(method))
  }

  async #answer(method: string, params: unknown): Promise<{ answer?: unknown; error?: object }> {
    try {
      const own = this.answers[method]
      if (own) return { answer: await own(params) }
      const question = { method, params: (params ?? []) as readonly unknown[] }
      return { answer: await this.owner.request(question) }
    } catch (error: any) {
      return { error: { code: error.code, message: error.message, data: error.data } }
    }
  }
}

const ICON =
  'data:image/svg+xml;utf8,<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="%23e2761b"/></svg>'

/** Runs in the page before its own scripts. */
function announce({ info, ask }: { info: Announced; ask: string }): void {
  const page: any = globalThis
  const listeners: Record<string, ((value: unknown) => void)[]> = {}
  const provider = {
    request: async ({ method, params }: { method: string; params?: unknown }) => {
      const { answer, error } = await page[ask](method, params)
      if (error) throw Object.assign(new Error(error.message), error)
      return answer
    },
    on: (event: string, listener: (value: unknown) => void) =>
      (listeners[event] ??= []).push(listener),
    removeListener: (event: string, listener: (value: unknown) => void) => {
      listeners[event] = (listeners[event] ?? []).filter((one) => one !== listener)
    },
  }
  page[`${ask}_emit`] = ([event, value]: [string, unknown]) => {
    for (const listener of listeners[event] ?? []) listener(value)
  }
  const detail = Object.freeze({ info, provider })
  const tell = () => page.dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail }))
  page.addEventListener('eip6963:requestProvider', tell)
  tell()
}
