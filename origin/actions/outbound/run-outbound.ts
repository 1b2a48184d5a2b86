import { OUTBOUND_BODY_MAX_BYTES, OUTBOUND_REQUESTS_MAX } from '../../../shared/limits.ts'
import { abortedError, OutboundError, type OutboundCode } from './outbound-error.ts'
import type { OutboundSuccess, RunNetwork } from './run-network.ts'

export type OutboundResult = OutboundSuccess | { ok: false; message: string; code?: OutboundCode }

export class RunOutbound {
  /** Number of requests so far, including followed redirects. */
  count = 0
  readonly #load: (onRequest: () => void) => Promise<RunNetwork>
  readonly #inFlight = new Set<AbortController>()
  #closed = false
  #network: Promise<RunNetwork> | undefined

  /** @param load creates the run's network state; called on the first request */
  constructor(load: (onRequest: () => void) => Promise<RunNetwork>) {
    this.#load = load
  }

  /**
   * Never rejects.
   * @param request `{url, method, headers: [name, value][], redirect}`; untrusted, because the request comes from the
   * sandbox
   * @param body copied before this method returns; an empty body means no body
   */
  async fetch(request: unknown, body: Uint8Array, signal: AbortSignal): Promise<OutboundResult> {
    const abort = new AbortController()
    const end = () => abort.abort(abortedError())
    try {
      if (signal.aborted || this.#closed) throw abortedError()
      // Count the request before any check, because even a request that is then refused may query name servers.
      this.#countRequest()
      // Copy one byte more than the limit, so that a body that is too long is still detected.
      const copy = Uint8Array.from(body.subarray(0, OUTBOUND_BODY_MAX_BYTES + 1))
      signal.addEventListener('abort', end)
      this.#inFlight.add(abort)
      const network = await this.#open()
      return await network.fetch(request, copy, abort.signal)
    } catch (error) {
      if (!(error instanceof OutboundError)) return { ok: false, message: 'the request failed' }
      const { message, outboundCode } = error
      return { ok: false, message, ...(outboundCode && { code: outboundCode }) }
    } finally {
      signal.removeEventListener('abort', end)
      this.#inFlight.delete(abort)
    }
  }

  /** Must be called when the run has ended. */
  close(): void {
    this.#closed = true
    for (const abort of this.#inFlight) abort.abort(abortedError())
    this.#network?.then(
      (network) => network.close(),
      () => {},
    )
  }

  #open(): Promise<RunNetwork> {
    this.#network ??= this.#load(() => this.#countRequest())
    return this.#network
  }

  #countRequest(): void {
    if (this.count >= OUTBOUND_REQUESTS_MAX)
      throw new OutboundError(
        `a run can make at most ${OUTBOUND_REQUESTS_MAX} outbound requests, including redirects`,
        'outbound_limit',
      )
    this.count++
  }
}
