import { OUTBOUND_BODY_MAX_BYTES, OUTBOUND_REQUESTS_MAX } from '../../../shared/limits.ts'
import { abortedError, OutboundError, type OutboundCode } from './outbound-error.ts'
import type { RunNetwork } from './run-network.ts'

export type OutboundAnswer =
  | {
      ok: true
      value: {
        status: number
        statusText: string
        /** Of the last request, without fragment. */
        url: string
        redirected: boolean
        /** Names in lower case, a byte of a value a character; as many `set-cookie` as came. */
        headers: [name: string, value: string][]
      }
      /** Decompressed; `content-encoding` and `content-length` in the headers are still those of the message. */
      bytes: Uint8Array
    }
  | { ok: false; message: string; code?: OutboundCode }

/** The outbound requests of one run: how many there may be, and their end with the run. */
export class RunOutbound {
  /** Requests so far, redirects that were followed included. */
  count = 0
  readonly #load: (onRequest: () => void) => Promise<RunNetwork>
  /** Ends each request under way. */
  readonly #underWay = new Set<AbortController>()
  #closed = false
  #network: Promise<RunNetwork> | undefined

  /** `load` is called with the first request. */
  constructor(load: (onRequest: () => void) => Promise<RunNetwork>) {
    this.#load = load
  }

  /**
   * Makes a request and follows it to its answer. Never rejects.
   * @param request `{url, method, headers: [name, value][], redirect}`, from the sandbox and so believed in nothing
   * @param body is read before this returns; without bytes the request has none
   */
  async fetch(request: unknown, body: Uint8Array, signal: AbortSignal): Promise<OutboundAnswer> {
    const abort = new AbortController()
    const end = () => abort.abort(abortedError())
    try {
      if (signal.aborted || this.#closed) throw abortedError()
      // Counted first: also a refused request asks name servers.
      this.#countOne()
      // One byte more than may be, by which it is known for too long.
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

  /** The run has ended: requests under way fail, and every connection is closed. */
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
