import type { z } from 'zod'
import { decodeBase64url, encodeBase64url } from '../../shared/base64url.ts'
import { SEALED_CONTENT_TYPE } from '../../shared/envelope/format.ts'
import { AnswerNotAuthentic, sealCall } from '../../shared/envelope/seal.ts'
import { SEALED_REQUEST_LIFETIME_MS } from '../../shared/limits.ts'
import {
  type ExecuteAnswer,
  executeAnswerSchema,
  type ExecuteRequest,
  type OutcomesAnswer,
  outcomesAnswerSchema,
  type OutcomesRequest,
  SEALED_EXECUTE_PATH,
  SEALED_OUTCOMES_PATH,
} from '../../shared/wire/sealed.ts'
import { type Env, settingsOf } from '../env.ts'
import { type SealingKeys, sealingKeys } from './trusted-keys.ts'

/**
 * The origin could not be asked, was not verified, or did not answer under our key. Whether a run was begun is
 * not known: asking again under the same run id is always safe.
 */
export class OriginAway extends Error {
  constructor(reason: string, options?: ErrorOptions) {
    super(reason, options)
    this.name = 'OriginAway'
  }
}

type Unsent<Request> = Omit<Request, 'request_id' | 'issued_at' | 'expires_at'>

/** An answer comes within its `wait_ms`; this is for the way there and back, and a body of megabytes. */
const TRANSPORT_MS = 30_000
const UNKNOWN_CHANNEL_KEY = 421

/** The origin as the edge sees it: every call sealed to a verified key, every answer opened. */
export class SealedOrigin {
  readonly #env: Env
  readonly #now: () => number

  constructor(env: Env, now: () => number) {
    this.#env = env
    this.#now = now
  }

  /** @throws {OriginAway} */
  execute(request: Unsent<ExecuteRequest>): Promise<ExecuteAnswer> {
    return this.#call(SEALED_EXECUTE_PATH, request, executeAnswerSchema, request.wait_ms)
  }

  /** @throws {OriginAway} also when `signal` ends the wait: the runs go on */
  outcomes(request: Unsent<OutcomesRequest>, signal: AbortSignal): Promise<OutcomesAnswer> {
    return this.#call(SEALED_OUTCOMES_PATH, request, outcomesAnswerSchema, request.wait_ms, signal)
  }

  async #call<Answer>(
    path: string,
    request: object,
    schema: z.ZodType<Answer>,
    waitMs: number,
    signal?: AbortSignal,
  ): Promise<Answer> {
    const signals = [AbortSignal.timeout(waitMs + TRANSPORT_MS), ...(signal ? [signal] : [])]
    const ended = AbortSignal.any(signals)
    try {
      const keys = await sealingKeys(this.#env, this.#now())
      const first = await this.#send(keys, path, request, ended)
      if (first !== 'unknown_key') return schema.parse(first)
      const renewed = await sealingKeys(this.#env, this.#now(), true)
      const second = await this.#send(renewed, path, request, ended)
      if (second !== 'unknown_key') return schema.parse(second)
    } catch (error) {
      throw new OriginAway(reasonOf(error), { cause: error })
    }
    throw new OriginAway('the origin does not know its own verified key')
  }

  async #send(
    keys: SealingKeys,
    path: string,
    request: object,
    signal: AbortSignal,
  ): Promise<unknown> {
    const { ORIGIN_URL, CHANNEL_PSK } = settingsOf(this.#env)
    const psk = decodeBase64url(CHANNEL_PSK)
    if (!psk) throw new Error('CHANNEL_PSK is not base64url')
    const issuedAt = this.#now()
    const plaintext = encodeJson({
      ...request,
      request_id: encodeBase64url(crypto.getRandomValues(new Uint8Array(16))),
      issued_at: issuedAt,
      expires_at: issuedAt + SEALED_REQUEST_LIFETIME_MS,
    })
    const call = await sealCall(keys.channel, { method: 'POST', path, plaintext, psk })
    const response = await fetch(new URL(path, ORIGIN_URL), {
      method: 'POST',
      body: call.body,
      headers: { 'content-type': SEALED_CONTENT_TYPE },
      redirect: 'manual',
      signal,
    })
    const bytes = new Uint8Array(await response.arrayBuffer())
    if (response.status === UNKNOWN_CHANNEL_KEY) return 'unknown_key'
    if (response.headers.get('content-type') !== SEALED_CONTENT_TYPE)
      throw new Error(`an unsealed answer with status ${response.status}`)
    return JSON.parse(new TextDecoder().decode(await call.open(bytes)))
  }
}

function encodeJson(value: object): Uint8Array<ArrayBuffer> {
  const bytes = new TextEncoder().encode(JSON.stringify(value))
  return bytes.buffer instanceof ArrayBuffer ? new Uint8Array(bytes.buffer) : Uint8Array.from(bytes)
}

/** A short reason for the log: names and statuses, nothing that was sent. */
function reasonOf(error: unknown): string {
  if (error instanceof AnswerNotAuthentic) return error.message
  return error instanceof Error ? `${error.name}: ${error.message}`.slice(0, 200) : 'unknown'
}
