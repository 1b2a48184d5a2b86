import { abortable } from '../../../shared/client/abortable.ts'
import { OUTBOUND_REDIRECTS_MAX } from '../../../shared/limits.ts'
import { Semaphore } from '../../../shared/semaphore.ts'
import { ACCEPTED_ENCODINGS, decodeBody } from './body-decoding.ts'
import { CONCURRENT_MAX } from './bounds.ts'
import type { ExchangeOptions, ExchangeRequest, ExchangeResponse } from './exchange.ts'
import { OutboundError } from './outbound-error.ts'
import { readRequest, type OutboundRequest } from './outbound-request.ts'
import { followRedirect, redirectLocation } from './redirect.ts'
import { readTarget, type Target } from './target.ts'

export type OutboundSuccess = {
  ok: true
  value: {
    status: number
    statusText: string
    /** Final URL after redirects, without its fragment. */
    url: string
    redirected: boolean
    /**
     * Header fields. Names are in lower case, and values have one character per byte. Multiple `set-cookie` fields
     * remain separate.
     */
    headers: [name: string, value: string][]
  }
  /** Decoded body. The `content-encoding` and `content-length` headers still describe the encoded body. */
  bytes: Uint8Array
}

type RunNetworkOptions = {
  /**
   * Sends one request without following redirects. `svc test` replaces it.
   * @throws {OutboundError}
   */
  send(
    target: Target,
    request: ExchangeRequest,
    options: Pick<ExchangeOptions, 'skipsBody' | 'signal'>,
  ): Promise<ExchangeResponse>
  /** Called when the run has ended. */
  close(): void
  /** Called before each redirect is followed. Throws if the run may not make another request. */
  onRequest: () => void
}

const DEFAULT_HEADERS: readonly [string, string][] = [
  ['accept', '*/*'],
  ['user-agent', 'svc-action/1'],
]

export class RunNetwork {
  readonly #options: RunNetworkOptions
  readonly #concurrency = new Semaphore(CONCURRENT_MAX)

  constructor(options: RunNetworkOptions) {
    this.#options = options
  }

  /**
   * @param request the request as received from the sandbox, not validated yet
   * @throws {OutboundError} also if the signal is aborted; the abort reason must be an OutboundError
   */
  async fetch(request: unknown, body: Uint8Array, signal: AbortSignal): Promise<OutboundSuccess> {
    const wanted = readRequest(request, body)
    await this.#concurrency.acquire(signal)
    try {
      return await this.#followRedirects(wanted, signal)
    } finally {
      this.#concurrency.release()
    }
  }

  close(): void {
    this.#options.close()
  }

  async #followRedirects(wanted: OutboundRequest, signal: AbortSignal): Promise<OutboundSuccess> {
    const { onRequest } = this.#options
    const { redirect } = wanted
    let target = readTarget(wanted.url)
    let request: Pick<OutboundRequest, 'method' | 'headers' | 'body'> = wanted
    for (let redirects = 0; ; redirects++) {
      signal.throwIfAborted()
      const { url, named } = target
      const answer = await this.#options.send(
        target,
        {
          ...request,
          path: url.pathname + url.search,
          headers: withDefaultHeaders(request.headers),
        },
        {
          signal,
          skipsBody: (status, headers) =>
            redirect !== 'manual' && redirectLocation(status, headers) !== undefined,
        },
      )
      const location = redirectLocation(answer.status, answer.headers)
      if (location === undefined || redirect === 'manual')
        // Abort the wait, because decoders cannot be stopped immediately.
        return await abortable(toSuccess(answer, url, named, redirects > 0), signal)
      if (redirect === 'error')
        throw new OutboundError(`${named} redirects, but the request's redirect mode is "error"`)
      if (redirects >= OUTBOUND_REDIRECTS_MAX)
        throw new OutboundError(
          `more than ${OUTBOUND_REDIRECTS_MAX} redirects, the last one from ${named}; this may be a loop`,
        )
      onRequest()
      ;({ target, request } = followRedirect(request, target, answer.status, location))
    }
  }
}

function withDefaultHeaders(headers: readonly [string, string][]): [string, string][] {
  const missing = DEFAULT_HEADERS.filter(([name]) => headers.every(([given]) => given !== name))
  return [...headers, ...missing, ['accept-encoding', ACCEPTED_ENCODINGS]]
}

async function toSuccess(
  { status, statusText, headers, encodings, body }: ExchangeResponse,
  url: URL,
  named: string,
  redirected: boolean,
): Promise<OutboundSuccess> {
  const bytes = await decodeBody(body, encodings, named)
  const shown = new URL(url)
  shown.hash = ''
  return { ok: true, value: { status, statusText, url: shown.href, redirected, headers }, bytes }
}
