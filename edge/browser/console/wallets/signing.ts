/**
 * State of the requests to a wallet, shown by `signing-dialog.tsx`. The person is asked for only one decision at a
 * time.
 */
import type { Step } from '../../../../shared/client/options.ts'
import type { Consent, Explanation } from '../../chain-secured/explanation.ts'
import { USER_REJECTED, ProviderRpcError } from '../../chain-secured/provider-rpc-error.ts'
import { Listeners } from '../listeners.ts'

/** Prompt to show. `waiting` means that the wallet is slow to answer a request that has no explanation. */
export type SigningPrompt =
  | { phase: 'explained' | 'asked'; explanation: Explanation }
  | { phase: 'waiting'; what: string }

export type TransactionEntry = {
  title: string
  /** Transaction hash, as reported by the wallet. */
  transaction: string
  /** State of the transaction. `late` means that the wallet sent it after the person had stopped waiting. */
  state: 'sent' | 'late' | 'mined' | 'seen' | 'failed'
  block?: number
}

export type SigningState = { shown: SigningPrompt | undefined; sent: readonly TransactionEntry[] }

type Parts = {
  now: () => number
  sleep: (milliseconds: number) => Promise<void>
}

/** Delay after which a wallet is considered slow. If no user interaction is needed, wallets usually answer sooner. */
const SLOW_MS = 4_000
/**
 * Period during which requests are abandoned after the person stopped waiting. Without it, the dialog would appear
 * again, because the client retries reads.
 */
const QUIET_MS = 10_000
const SENT_MAX = 5

export class Signing implements Consent {
  readonly changes = new Listeners()
  readonly #parts: Parts
  #state: SigningState = { shown: undefined, sent: [] }
  #explanation: Explanation | undefined
  #decide: ((goesOn: boolean) => void) | undefined
  #isRequested = false
  readonly #waiting = new Map<object, { what: string; stop: () => void }>()
  #ignoredUntil = 0

  constructor(parts: Parts) {
    this.#parts = parts
  }

  get state(): SigningState {
    return this.#state
  }

  async confirm(explanation: Explanation): Promise<void> {
    if (this.#explanation)
      throw new ProviderRpcError(USER_REJECTED, 'another request is waiting for your decision')
    const { promise, resolve } = Promise.withResolvers<boolean>()
    this.#explanation = explanation
    this.#decide = resolve
    this.#changed()
    const goesOn = await promise
    this.#decide = undefined
    if (goesOn) return
    this.ended()
    throw new ProviderRpcError(USER_REJECTED, 'rejected on this page')
  }

  requested(): void {
    this.#isRequested = true
    this.#ignoredUntil = 0
    this.#changed()
  }

  ended(): void {
    this.#explanation = undefined
    this.#isRequested = false
    this.#changed()
  }

  sent({ title, transaction, isLate }: Parameters<Consent['sent']>[0]): void {
    this.#add({ title, transaction: String(transaction), state: isLate ? 'late' : 'sent' })
  }

  step(step: Step): void {
    if (step.step === 'sent')
      this.#add({ title: step.what, transaction: step.transaction, state: 'sent' })
    if (step.step === 'mined') this.#change(step.transaction, { state: 'mined', block: step.block })
    const mined = this.#state.sent.find(({ state }) => state === 'mined')
    if (step.step === 'seen' && mined) this.#change(mined.transaction, { state: 'seen' })
  }

  failed(failure: unknown): void {
    const { transaction } = (failure ?? {}) as { transaction?: unknown }
    if (typeof transaction === 'string') this.#change(transaction, { state: 'failed' })
  }

  decide(goesOn: boolean): void {
    this.#decide?.(goesOn)
  }

  stopWaiting(): void {
    this.#ignoredUntil = this.#parts.now() + QUIET_MS
    for (const { stop } of this.#waiting.values()) stop()
    this.#waiting.clear()
    this.#changed()
  }

  forget(): void {
    this.decide(false)
    this.stopWaiting()
    this.#ignoredUntil = 0
    this.#state = { ...this.#state, sent: [] }
    this.#changed()
  }

  async untilStopped(what: string, answered: Promise<unknown>): Promise<void> {
    const { now, sleep } = this.#parts
    const { promise, resolve } = Promise.withResolvers<void>()
    const question = {}
    let isAnswered = false
    void answered.then(() => {
      isAnswered = true
      // The wallet answers again, so later requests are not abandoned.
      this.#ignoredUntil = 0
      if (this.#waiting.delete(question)) this.#changed()
    })
    if (now() < this.#ignoredUntil) return
    const wait = () => {
      if (isAnswered) return
      this.#waiting.set(question, { what, stop: resolve })
      this.#changed()
    }
    if (this.#isRequested) wait()
    else void sleep(SLOW_MS).then(wait)
    return promise
  }

  #add(sent: TransactionEntry): void {
    if (this.#state.sent.some(({ transaction }) => transaction === sent.transaction)) return
    this.#state = { ...this.#state, sent: [sent, ...this.#state.sent].slice(0, SENT_MAX) }
    this.#changed()
  }

  #change(transaction: string, change: Partial<TransactionEntry>): void {
    const sent = this.#state.sent.map((one) =>
      one.transaction === transaction ? { ...one, ...change } : one,
    )
    this.#state = { ...this.#state, sent }
    this.#changed()
  }

  #changed(): void {
    this.#state = { ...this.#state, shown: this.#currentPrompt() }
    this.changes.notify()
  }

  #currentPrompt(): SigningPrompt | undefined {
    if (this.#explanation)
      return { phase: this.#isRequested ? 'asked' : 'explained', explanation: this.#explanation }
    const [first] = this.#waiting.values()
    return first && { phase: 'waiting', what: first.what }
  }
}
