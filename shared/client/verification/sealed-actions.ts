import { anySignal } from '../abortable.ts'
import { requireApiKeyFormat } from '../credential.ts'
import { SvcError } from '../failures/svc-error.ts'
import { NetworkFailed } from '../failures/transport-errors.ts'
import type { CallOptions, RetryOptions } from '../options.ts'
import { Retries } from '../retries.ts'
import type { RuntimeEnvironment } from '../runtime-environment.ts'
import { wasUnsent } from '../unsent.ts'
import type { SvcActionResponse } from './outcome-response.ts'
import { CallRefused } from './call-refused.ts'
import { TrustExpired } from './failures.ts'
import type { OriginVerification } from './origin-verification.ts'

type SealedActionsParts = RuntimeEnvironment & {
  verification: OriginVerification
  /** URL of the origin, or of an edge that forwards sealed calls. */
  via: string
  retries: RetryOptions | undefined
  signal: AbortSignal | undefined
}

type SvcActionCall = { code: string; js_params?: object | undefined }

export class SealedActions {
  readonly #parts: SealedActionsParts

  constructor(parts: SealedActionsParts) {
    this.#parts = parts
  }

  /**
   * Executes an action at most once. The call is retried only if the origin's sealed response states that nothing was
   * executed (429), or if no connection was established.
   * @throws {SvcError} any error of a call that is not sealed, or an error defined in `failures.ts`
   */
  async svcAction(
    apiKey: string,
    call: SvcActionCall,
    options: CallOptions = {},
  ): Promise<SvcActionResponse> {
    requireApiKeyFormat(apiKey)
    const { random, sleep } = this.#parts
    const signal = anySignal(this.#parts.signal, options.signal)
    const retries = new Retries(this.#parts.retries, random)
    for (;;) {
      const read = await this.#attempt(apiKey, call, signal)
      if ('answer' in read) return read.answer
      if (read.isRetryable) {
        const waitMs = retries.after({ failure: read.failure, wasExecuted: false }, 'never')
        if (waitMs === undefined) throw read.failure
        await sleep(waitMs, signal)
      }
      signal?.throwIfAborted()
    }
  }

  async #attempt(
    apiKey: string,
    { code, js_params: jsParams }: SvcActionCall,
    signal: AbortSignal | undefined,
  ): Promise<{ answer: SvcActionResponse } | { failure: SvcError; isRetryable: boolean }> {
    const { verification, via: url, random, now } = this.#parts
    const trusted = await verification.trusted(signal)
    const { toActionResponse, toPlainError, callSealed } = await import('./verifier.ts')
    const sends = { begun: 0 }
    const channel = { trusted, url, fetch: this.#counting(sends), random, now }
    const called = { apiKey, code, ...(jsParams && { jsParams }) }
    try {
      const { outcome } = await callSealed({ ...channel, ...(signal && { signal }) }, called)
      return { answer: toActionResponse(outcome) }
    } catch (error) {
      signal?.throwIfAborted()
      const failure = error instanceof CallRefused ? toPlainError(error) : error
      // The verification expired after it was checked, but before the call was sealed.
      if (error instanceof TrustExpired && sends.begun === 0)
        return { failure: error, isRetryable: false }
      // If the call was sealed twice, the first one may have run, regardless of the last response.
      const isConclusive = error instanceof CallRefused || error instanceof NetworkFailed
      if (isConclusive && sends.begun === 1)
        return { failure: failure as SvcError, isRetryable: true }
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
