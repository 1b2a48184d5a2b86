/** Actions that nobody on the way can read: sealed to the key that the client has found in verified evidence. */
import { requireApiKeyShape } from '../credential.ts'
import { SvcError } from '../failures.ts'
import { NetworkFailed } from '../failures/on-the-way.ts'
import type { CallOptions, RetryOptions } from '../options.ts'
import { Retries } from '../retries.ts'
import type { Surroundings } from '../surroundings.ts'
import { wasUnsent } from '../unsent.ts'
import type { SvcActionAnswer } from './answer-of-outcome.ts'
import { CallRefused } from './call-refused.ts'
import { TrustExpired } from './failures.ts'
import type { OriginVerification } from './origin-verification.ts'

export type SealedActionsParts = Surroundings & {
  verification: OriginVerification
  /** Of the origin, or of an edge that passes sealed calls on. */
  via: string
  retries: RetryOptions | undefined
  /** Of the client. */
  signal: AbortSignal | undefined
}

export type SvcActionCall = { code: string; js_params?: object | undefined }

export class SealedActions {
  readonly #parts: SealedActionsParts

  constructor(parts: SealedActionsParts) {
    this.#parts = parts
  }

  /**
   * Executes an action once, and checks the receipt of it. Sent again where nothing was executed by the origin's own
   * sealed word (429), or no connection was made; never where it may have run.
   * @throws {SvcError} what a plain call throws, and those of `failures.ts`
   */
  async svcAction(
    apiKey: string,
    call: SvcActionCall,
    options: CallOptions = {},
  ): Promise<SvcActionAnswer> {
    requireApiKeyShape(apiKey)
    const { random, sleep } = this.#parts
    const signal = eitherOf(this.#parts.signal, options.signal)
    const retries = new Retries(this.#parts.retries, random)
    for (;;) {
      const read = await this.#once(apiKey, call, signal)
      if ('answer' in read) return read.answer
      if (read.waits) {
        const waitMs = retries.after({ failure: read.failure, wasExecuted: false }, 'never')
        if (waitMs === undefined) throw read.failure
        await sleep(waitMs, signal)
      }
      signal?.throwIfAborted()
    }
  }

  async #once(
    apiKey: string,
    { code, js_params: jsParams }: SvcActionCall,
    signal: AbortSignal | undefined,
  ): Promise<{ answer: SvcActionAnswer } | { failure: SvcError; waits: boolean }> {
    const { verification, via: url, random, now } = this.#parts
    const trusted = await verification.trusted(signal)
    const { answerOfOutcome, refusalInside, sealedAnswer } = await import('./verifier.ts')
    const sends = { begun: 0 }
    const channel = { trusted, url, fetch: this.#counting(sends), random, now }
    const called = { apiKey, code, ...(jsParams && { jsParams }) }
    try {
      const { outcome } = await sealedAnswer({ ...channel, ...(signal && { signal }) }, called)
      return { answer: answerOfOutcome(outcome) }
    } catch (error) {
      signal?.throwIfAborted()
      const failure = error instanceof CallRefused ? refusalInside(error) : error
      // Between the look at the clock here and there an hour was over.
      if (error instanceof TrustExpired && sends.begun === 0)
        return { failure: error, waits: false }
      // A call that was sealed a second time may have run the first time, whoever says what by now.
      const isFirstWord = error instanceof CallRefused || error instanceof NetworkFailed
      if (isFirstWord && sends.begun === 1) return { failure: failure as SvcError, waits: true }
      if (failure instanceof SvcError || sends.begun === 0) throw failure
      throw new NetworkFailed({ mayHaveBeenExecuted: true }, { cause: error })
    }
  }

  #counting(sends: { begun: number }): typeof fetch {
    return async (input, init) => {
      sends.begun++
      try {
        return await this.#parts.fetch(input, init)
      } catch (error) {
        const mayHaveBeenExecuted = sends.begun > 1 || !wasUnsent(error)
        throw new NetworkFailed({ mayHaveBeenExecuted }, { cause: error })
      }
    }
  }
}

function eitherOf(one?: AbortSignal, other?: AbortSignal): AbortSignal | undefined {
  return one && other ? AbortSignal.any([one, other]) : (one ?? other)
}
