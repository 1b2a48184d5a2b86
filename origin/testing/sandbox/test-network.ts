import { abortable } from '../../../shared/client/abortable.ts'
import { OUTBOUND_RESPONSE_MAX_BYTES } from '../../../shared/limits.ts'
import { AddressGuard } from '../../actions/outbound/address-guard.ts'
import { decodeBody, readEncodings } from '../../actions/outbound/body-decoding.ts'
import {
  DEFAULT_TIMEOUTS,
  ENCODED_MAX_BYTES,
  HEADER_FIELDS_MAX,
} from '../../actions/outbound/bounds.ts'
import type {
  ExchangeOptions,
  ExchangeRequest,
  ExchangeResponse,
} from '../../actions/outbound/exchange.ts'
import { lateResponse, OutboundError } from '../../actions/outbound/outbound-error.ts'
import { PUBLIC_ONLY } from '../../actions/outbound/policy.ts'
import { isPublicAddress } from '../../actions/outbound/public-address.ts'
import { responseTooLarge } from '../../actions/outbound/response-body.ts'
import { RunNetwork } from '../../actions/outbound/run-network.ts'
import { RunOutbound } from '../../actions/outbound/run-outbound.ts'
import type { Target } from '../../actions/outbound/target.ts'
import type { FakeTime } from './fake-time.ts'
import type { SentRequest, SentResponse } from './messages.ts'

type TestNetworkOptions = {
  time: FakeTime
  /** Sends a request to the test. */
  ask: (request: SentRequest) => Promise<SentResponse>
  /** Called when the fake clock must stand still, and when it may advance again. */
  held: () => void
  released: () => void
}

/** Host names are not resolved in tests. Any public address stands for the addresses of all names. */
const SOME_PUBLIC_ADDRESS = '1.1.1.1'

const guard = new AddressGuard(
  PUBLIC_ONLY,
  { addresses: async () => [SOME_PUBLIC_ADDRESS] },
  isPublicAddress,
)

/** The network of one run: checks, redirects and limits of production, with responses from the test. */
export class TestNetwork {
  readonly #options: TestNetworkOptions

  constructor(options: TestNetworkOptions) {
    this.#options = options
  }

  forRun(): RunOutbound {
    return new RunOutbound(
      async (onRequest) =>
        new RunNetwork({
          send: (target, request, options) => this.#send(target, request, options),
          close: () => {},
          onRequest,
        }),
    )
  }

  async #send(
    target: Target,
    request: ExchangeRequest,
    { signal, skipsBody }: Pick<ExchangeOptions, 'signal' | 'skipsBody'>,
  ): Promise<ExchangeResponse> {
    await guard.admit(target)
    const asked = this.#options.ask(sentRequest(target, request))
    const response = await this.#whileHeld(abortable(asked, signal))
    const { named } = target
    const { answer } = DEFAULT_TIMEOUTS
    if (response.delayMs > 0) await this.#delay(Math.min(response.delayMs, answer), signal)
    if (response.delayMs > answer) throw new OutboundError(lateResponse(named, answer))
    if ('failure' in response) throw new OutboundError(response.failure)
    const { status, statusText, headers, body } = response
    if (headers.length > HEADER_FIELDS_MAX)
      throw new OutboundError(`${named} sent more than ${HEADER_FIELDS_MAX} headers`)
    const head = { status, statusText, headers, encodings: [] }
    if (skipsBody(status, headers)) return { ...head, body: new Uint8Array(0) }
    const encodings = readEncodings(headers, named)
    const maxBytes = encodings.length === 0 ? OUTBOUND_RESPONSE_MAX_BYTES : ENCODED_MAX_BYTES
    if (body.length > maxBytes) throw responseTooLarge(named)
    return { ...head, body: await this.#whileHeld(decodeBody(body, encodings, named)) }
  }

  /** Keeps the fake clock still until a promise settles. */
  async #whileHeld<T>(pending: Promise<T>): Promise<T> {
    const { held, released } = this.#options
    held()
    try {
      return await pending
    } finally {
      released()
    }
  }

  /** Waits on the fake clock. */
  #delay(ms: number, signal: AbortSignal): Promise<void> {
    const { time } = this.#options
    let timer: unknown
    const elapsed = new Promise<void>((resolve) => {
      timer = time.setTimeout(resolve, ms)
    })
    return abortable(elapsed, signal).finally(() => time.clearTimeout(timer))
  }
}

function sentRequest({ url }: Target, { method, headers, body }: ExchangeRequest): SentRequest {
  const sent = new URL(url)
  sent.hash = ''
  return {
    method,
    url: sent.href,
    // Added by the service to every request.
    headers: Object.fromEntries(headers.filter(([name]) => name !== 'accept-encoding')),
    body: body ?? new Uint8Array(0),
  }
}
