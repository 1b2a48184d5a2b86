import type { z } from 'zod'
import {
  type CheckKeyResponse,
  checkKeyResponseSchema,
  type CheckKeyRequest,
  SEALED_KEYS_PATH,
} from '../../shared/wire/sealed-keys.ts'
import {
  type KeyStatesRequest,
  type KeyStatesResponse,
  keyStatesResponseSchema,
  SEALED_KEY_STATES_PATH,
} from '../../shared/wire/sealed-key-states.ts'
import { joinBytes } from '../../shared/encoding/bytes.ts'
import { SEALED_STREAM_CONTENT_TYPE } from '../../shared/envelope/format.ts'
import { encodeFrame } from '../../shared/wire/sealed-http.ts'
import {
  type LogsRequest,
  type LogsResponse,
  logsResponseSchema,
  SEALED_LOGS_PATH,
} from '../../shared/wire/sealed-logs.ts'
import {
  type RunsMessage,
  runsMessageSchema,
  type RunsRequest,
  SEALED_RUNS_PATH,
} from '../../shared/wire/sealed-runs.ts'
import {
  type ExecuteResponse,
  type OutcomesResponse,
  outcomesResponseSchema,
  type OutcomesRequest,
  SEALED_OUTCOMES_PATH,
} from '../../shared/wire/sealed.ts'
import type { Env } from '../env.ts'
import { OriginUnavailableError } from './origin-unavailable-error.ts'
import { type Freshness, sealedCall, sealedExchange, sealingKeys } from './sealed-call.ts'

type Unsent<Request> = Omit<Request, keyof Freshness>

export type RunToSend = {
  id: string
  attempt: number
  retryLost: boolean
  source: string
  /** JSON text. */
  params: string
  /** `traceparent` of the attempt. */
  trace?: string | undefined
}

type RunBatch = Pick<RunsRequest, 'credential' | 'wait_ms'> & { runs: readonly RunToSend[] }

/** Timeout of a call, in addition to `wait_ms`. It allows for the round trip and for a body of several megabytes. */
const TRANSPORT_MS = 30_000

/** The same for runs, which may wait at the origin for 10 s before they are claimed, and for 10 s before they start. */
const RUNS_TRANSPORT_MS = 60_000

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
    runsMessageSchema.safeParse({ response: { state: 'running' } })
    await sealingKeys(this.#env, this.#now()).catch(() => undefined)
  }

  /**
   * Executes runs of one trigger. Calls `onResponse` for each run when its response arrives.
   * @throws {OriginUnavailableError} if the origin is unreachable or returns an invalid response. Runs without a
   * response may have started.
   */
  async executeRuns(
    { runs, ...request }: RunBatch,
    onResponse: (runId: string, response: ExecuteResponse) => void,
  ): Promise<void> {
    const { body, ...sizes } = encodeRuns(runs)
    const waiting = new Set(runs.map(({ id }) => id))
    const receive = ({ run_id, response }: RunsMessage) => {
      for (const id of run_id === undefined ? [...waiting] : [run_id])
        if (waiting.delete(id)) onResponse(id, response)
    }
    await sealedExchange(this.#env, this.#now, {
      path: SEALED_RUNS_PATH,
      plaintext: (freshness) =>
        encodeFrame(body, body.length, { ...request, ...sizes, ...freshness }),
      signal: AbortSignal.timeout(request.wait_ms + RUNS_TRANSPORT_MS),
      contentType: SEALED_STREAM_CONTENT_TYPE,
      read: async (response, sealed) => {
        const messages = sealed.openStream((response.body ?? []) as AsyncIterable<Uint8Array>)
        for await (const message of messages)
          receive(runsMessageSchema.parse(JSON.parse(new TextDecoder().decode(message))))
      },
    })
    if (waiting.size > 0)
      throw new OriginUnavailableError(
        'the origin ended its response before all runs were answered',
      )
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

  /**
   * Requests the console output of runs in progress.
   * @throws {OriginUnavailableError} if the origin is unreachable
   */
  logs(request: Unsent<LogsRequest>): Promise<LogsResponse> {
    return this.#call(SEALED_LOGS_PATH, request, logsResponseSchema, 0)
  }

  /** @throws {OriginUnavailableError} if the origin is unreachable, or if `signal` aborts the wait */
  checkKey(request: Unsent<CheckKeyRequest>, signal?: AbortSignal): Promise<CheckKeyResponse> {
    return this.#call(SEALED_KEYS_PATH, request, checkKeyResponseSchema, 0, signal)
  }

  /**
   * Reads the state of usage keys that are stored with triggers.
   * @throws {OriginUnavailableError} if the origin is unreachable, or does not have this operation yet
   */
  keyStates(request: Unsent<KeyStatesRequest>): Promise<KeyStatesResponse> {
    return this.#call(SEALED_KEY_STATES_PATH, request, keyStatesResponseSchema, 0)
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

/** Encodes the sources and params as bytes. Each source is sent once. */
function encodeRuns(runs: readonly RunToSend[]): {
  body: Uint8Array<ArrayBuffer>
} & Pick<RunsRequest, 'source_bytes' | 'runs'> {
  const encoder = new TextEncoder()
  const sources = [...new Set(runs.map(({ source }) => source))]
  const encodedSources = sources.map((source) => encoder.encode(source))
  const encodedParams = runs.map(({ params }) => encoder.encode(params))
  return {
    body: joinBytes(...encodedSources, ...encodedParams),
    source_bytes: encodedSources.map(({ length }) => length),
    runs: runs.map(({ id, attempt, retryLost, source, trace }, at) => ({
      id,
      attempt,
      ...(retryLost ? { retry_lost: true } : {}),
      ...(trace === undefined ? {} : { trace }),
      source: sources.indexOf(source),
      params_bytes: encodedParams[at]!.length,
    })),
  }
}
