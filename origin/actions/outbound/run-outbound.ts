import { OUTBOUND_BODY_MAX_BYTES, OUTBOUND_REQUESTS_MAX } from '../../../shared/limits.ts'
import { abortedError, OutboundError, type OutboundCode } from './outbound-error.ts'
import type { RunNetwork } from './run-network.ts'

export type OutboundAnswer =
  | {
      ok: true
      value: {
        status: number
        statusText: string
        /** URL of the last request, without its fragment. */
        url: string
        redirected: boolean
        /** Names in lower case, values with one character per byte. Several `set-cookie` fields stay separate. */
        headers: [name: string, value: string][]
      }
      /** Decompressed. `content-encoding` and `content-length` in the headers still describe the original message. */
      bytes: Uint8Array
    }
  | { ok: false; message: string; code?: OutboundCode }

/** The outbound requests of one run. Limits their number, and ends them with the run. */
export class RunOutbound {
  /** Requests so far, including redirects that were followed. */
  count = 0
  readonly #load: (onRequest: () => void) => Promise<RunNetwork>
  /** Controllers that abort the requests in flight. */
  readonly #underWay = new Set<AbortController>()
  #closed = false
  #network: Promise<RunNetwork> | undefined

  /** `load` is called on the first request. */
  constructor(load: (onRequest: () => void) => Promise<RunNetwork>) {
    this.#load = load
  }

  /**
   * Makes a request and follows redirects to the final response. Never rejects.
   * @param request `{url, method, headers: [name, value][], redirect}`, from the sandbox and therefore untrusted
   * @param body copied before this returns; an empty one means no body
   */
  async fetch(request: unknown, body: Uint8Array, signal: AbortSignal): Promise<OutboundAnswer> {
    const abort = new AbortController()
    const end = () => abort.abort(abortedError())
    try {
      if (signal.aborted || this.#closed) throw abortedError()
      // Counted first, because even a request that is refused later may query name servers.
      this.#countOne()
      // One byte over the limit, so that a body that is too long is still recognized as such.
      const copy = Uint8Array.from(body.subarray(0, OUTBOUND_BODY_MAX_BYTES + 1))
      signal.addEventListener('abort', end)
      this.#underWay.add(abort)
      const network = await this.#open()
      return await network.fetch(request, copy, abort.signal)
    } catch (error) {
      if (!(error instanceof OutboundError)) return { ok: false, message: 'the request failed' }
      const { message, outboundCode } = error
      return { ok: false, message, ...(outboundCode && { code: outboundCode }) }
    } finally {
      signal.removeEventListener('abort', end)
      this.#underWay.delete(abort)
    }
  }

  /** Called when the run has ended. Fails the requests in flight and closes every connection. */
  close(): void {
    this.#closed = true
    for (const abort of this.#underWay) abort.abort(abortedError())
    this.#network?.then(
      (network) => network.close(),
      () => {},
    )
  }

  #open(): Promise<RunNetwork> {
    this.#network ??= this.#load(() => this.#countOne())
    return this.#network
  }

  #countOne(): void {
    if (this.count >= OUTBOUND_REQUESTS_MAX)
      throw new OutboundError(
        `a run makes at most ${OUTBOUND_REQUESTS_MAX} outbound requests, redirects included`,
        'outbound_limit',
      )
    this.count++
  }
}
