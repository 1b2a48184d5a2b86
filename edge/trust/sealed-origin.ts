import type { z } from 'zod'
import {
  type CheckKeyResponse,
  checkKeyResponseSchema,
  type CheckKeyRequest,
  SEALED_KEYS_PATH,
} from '../../shared/wire/sealed-keys.ts'
import {
  type ExecuteResponse,
  executeResponseSchema,
  type ExecuteRequest,
  type OutcomesResponse,
  outcomesResponseSchema,
  type OutcomesRequest,
  SEALED_EXECUTE_PATH,
  SEALED_OUTCOMES_PATH,
} from '../../shared/wire/sealed.ts'
import type { Env } from '../env.ts'
import { OriginUnavailableError } from './origin-unavailable-error.ts'
import { type Freshness, sealedCall } from './sealed-call.ts'
import { sealingKeys } from './sealing-keys.ts'

type Unsent<Request> = Omit<Request, keyof Freshness>

/** Timeout of a call, in addition to `wait_ms`. It allows for the round trip and for a body of several megabytes. */
const TRANSPORT_MS = 30_000

/** Client for the origin. Encrypts each call to a verified key, and decrypts each response. */
export class SealedOrigin {
  readonly #env: Env
  readonly #now: () => number

  constructor(env: Env, now: () => number) {
    this.#env = env
    this.#now = now
  }

  /**
   * Loads the verified keys and the response schema in advance, so that the first call of an isolate is not delayed.
   * Ignores failures, because the call itself will report them.
   */
  async prepare(): Promise<void> {
    executeResponseSchema.safeParse({ state: 'running' })
    await sealingKeys(this.#env, this.#now()).catch(() => undefined)
  }

  /** @throws {OriginUnavailableError} if the origin is unreachable or returns an invalid response */
  execute(request: Unsent<ExecuteRequest>): Promise<ExecuteResponse> {
    return this.#call(SEALED_EXECUTE_PATH, request, executeResponseSchema, request.wait_ms)
  }

  /**
   * Requests the outcomes of runs. The runs continue even if the request fails.
   * @throws {OriginUnavailableError} if the origin is unreachable, or if `signal` aborts the wait
   */
  outcomes(request: Unsent<OutcomesRequest>, signal: AbortSignal): Promise<OutcomesResponse> {
    return this.#call(
      SEALED_OUTCOMES_PATH,
      request,
      outcomesResponseSchema,
      request.wait_ms,
      signal,
    )
  }

  /** @throws {OriginUnavailableError} if the origin is unreachable, or if `signal` aborts the wait */
  checkKey(request: Unsent<CheckKeyRequest>, signal?: AbortSignal): Promise<CheckKeyResponse> {
    return this.#call(SEALED_KEYS_PATH, request, checkKeyResponseSchema, 0, signal)
  }

  async #call<Answer>(
    path: string,
    request: object,
    schema: z.ZodType<Answer>,
    waitMs: number,
    signal?: AbortSignal,
  ): Promise<Answer> {
    const signals = [AbortSignal.timeout(waitMs + TRANSPORT_MS), ...(signal ? [signal] : [])]
    const text = await sealedCall(this.#env, this.#now, {
      path,
      plaintext: (freshness) => encodeJson({ ...request, ...freshness }),
      signal: AbortSignal.any(signals),
    })
    try {
      return schema.parse(JSON.parse(new TextDecoder().decode(text)))
    } catch (error) {
      throw new OriginUnavailableError('the origin returned an invalid response', { cause: error })
    }
  }
}

function encodeJson(value: object): Uint8Array<ArrayBuffer> {
  const bytes = new TextEncoder().encode(JSON.stringify(value))
  return bytes.buffer instanceof ArrayBuffer ? new Uint8Array(bytes.buffer) : Uint8Array.from(bytes)
}
