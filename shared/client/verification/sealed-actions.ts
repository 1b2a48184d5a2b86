/** Calls are encrypted to the key in the verified evidence, so that intermediaries cannot read them. */
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
  /** The origin, or an edge that forwards sealed calls. */
  via: string
  retries: RetryOptions | undefined
  signal: AbortSignal | undefined
}

export type SvcActionCall = { code: string; js_params?: object | undefined }

export class SealedActions {
  readonly #parts: SealedActionsParts

  constructor(parts: SealedActionsParts) {
    this.#parts = parts
  }

  /**
   * Executes an action at most once. The call is retried only if the origin's sealed response states that nothing was
   * executed (429), or if no connection was established.
   * @throws {SvcError} any error of a plain call, or an error of `failures.ts`
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
      // The verification expired between the check here and the sealing of the call.
      if (error instanceof TrustExpired && sends.begun === 0)
        return { failure: error, waits: false }
      // If the call was sealed twice, the first one may have run, regardless of the last response.
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
