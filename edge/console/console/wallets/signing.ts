/**
 * State of the requests to the wallet: asks for one decision at a time, and tracks the results. Independent of their
 * display (`signing-dialog.tsx`) and of their content (`chain-secured/`).
 */
import type { Step } from '../../../../shared/client/options.ts'
import type { Consent, Explanation } from '../../chain-secured/explanation.ts'
import { REFUSED, RpcError } from '../../chain-secured/rpc-error.ts'

/** State of the dialog. `waiting`: the wallet is slow to answer a request that needs no explanation. */
export type Shown =
  | { phase: 'explained' | 'asked'; explanation: Explanation }
  | { phase: 'waiting'; what: string }

export type Sent = {
  title: string
  /** The transaction hash reported by the wallet. */
  transaction: string
  /** `late`: the wallet sent it after the person had stopped waiting. */
  state: 'sent' | 'late' | 'mined' | 'seen' | 'failed'
  block?: number
}

export type SigningState = { shown: Shown | undefined; sent: readonly Sent[] }

type Parts = {
  /** Unix milliseconds. */
  now: () => number
  sleep: (milliseconds: number) => Promise<void>
}

/** Wallets usually answer requests that need no user interaction within this time. */
const SLOW_MS = 4_000
/** After the person stops waiting, no dialog is shown for this long, because reads are retried. */
const QUIET_MS = 10_000
/** Maximum number of listed transactions. */
const SENT_MAX = 5

export class Signing implements Consent {
  readonly #parts: Parts
  #state: SigningState = { shown: undefined, sent: [] }
  readonly #listeners = new Set<() => void>()
  #explanation: Explanation | undefined
  #decide: ((goesOn: boolean) => void) | undefined
  #isAsked = false
  /** Requests that the wallet has not answered for a while. */
  readonly #waiting = new Map<object, { what: string; stop: () => void }>()
  #quietUntil = 0

  constructor(parts: Parts) {
    this.#parts = parts
  }

  get state(): SigningState {
    return this.#state
  }

  /** @returns a function that removes the listener */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  async explained(explanation: Explanation): Promise<void> {
    if (this.#explanation) throw new RpcError(REFUSED, 'something else is being explained')
    const { promise, resolve } = Promise.withResolvers<boolean>()
    this.#explanation = explanation
    this.#decide = resolve
    this.#changed()
    const goesOn = await promise
    this.#decide = undefined
    if (goesOn) return
    this.ended()
    throw new RpcError(REFUSED, 'refused on this page')
  }

  asked(): void {
    this.#isAsked = true
    this.#quietUntil = 0
    this.#changed()
  }

  ended(): void {
    this.#explanation = undefined
    this.#isAsked = false
    this.#changed()
  }

  sent({ title, transaction, isLate }: Parameters<Consent['sent']>[0]): void {
    this.#add({ title, transaction: String(transaction), state: isLate ? 'late' : 'sent' })
  }

  /** Handles a step that the client reports for a write. */
  step(step: Step): void {
    if (step.step === 'sent')
      this.#add({ title: step.what, transaction: step.transaction, state: 'sent' })
    if (step.step === 'mined') this.#change(step.transaction, { state: 'mined', block: step.block })
    const mined = this.#state.sent.find(({ state }) => state === 'mined')
    if (step.step === 'seen' && mined) this.#change(mined.transaction, { state: 'seen' })
  }

  /** Marks the transaction named by a failed write as failed. */
  failed(failure: unknown): void {
    const { transaction } = (failure ?? {}) as { transaction?: unknown }
    if (typeof transaction === 'string') this.#change(transaction, { state: 'failed' })
  }

  decide(goesOn: boolean): void {
    this.#decide?.(goesOn)
  }

  /** Ends all waiting for the wallet, when the person asks for it. */
  stopWaiting(): void {
    this.#quietUntil = this.#parts.now() + QUIET_MS
    for (const { stop } of this.#waiting.values()) stop()
    this.#waiting.clear()
    this.#changed()
  }

  /** Clears all state, when another wallet or none is connected. */
  forget(): void {
    this.decide(false)
    this.stopWaiting()
    this.#quietUntil = 0
    this.#state = { ...this.#state, sent: [] }
    this.#changed()
  }

  async stopped(what: string, answered: Promise<unknown>): Promise<void> {
    const { now, sleep } = this.#parts
    const { promise, resolve } = Promise.withResolvers<void>()
    const question = {}
    let isAnswered = false
    void answered.then(() => {
      isAnswered = true
      // The wallet responds again.
      this.#quietUntil = 0
      if (this.#waiting.delete(question)) this.#changed()
    })
    if (now() < this.#quietUntil) return
    const wait = () => {
      if (isAnswered) return
      this.#waiting.set(question, { what, stop: resolve })
      this.#changed()
    }
    if (this.#isAsked) wait()
    else void sleep(SLOW_MS).then(wait)
    return promise
  }

  /** Adds a transaction at the top, unless it is already listed. */
  #add(sent: Sent): void {
    if (this.#state.sent.some(({ transaction }) => transaction === sent.transaction)) return
    this.#state = { ...this.#state, sent: [sent, ...this.#state.sent].slice(0, SENT_MAX) }
    this.#changed()
  }

  #change(transaction: string, change: Partial<Sent>): void {
    const sent = this.#state.sent.map((one) =>
      one.transaction === transaction ? { ...one, ...change } : one,
    )
    this.#state = { ...this.#state, sent }
    this.#changed()
  }

  #changed(): void {
    this.#state = { ...this.#state, shown: this.#shown() }
    for (const listener of this.#listeners) listener()
  }

  #shown(): Shown | undefined {
    if (this.#explanation)
      return { phase: this.#isAsked ? 'asked' : 'explained', explanation: this.#explanation }
    const [first] = this.#waiting.values()
    return first && { phase: 'waiting', what: first.what }
  }
}
