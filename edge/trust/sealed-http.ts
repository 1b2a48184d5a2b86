import { z } from 'zod'
import { tryParseJson } from '../../shared/json/try-parse-json.ts'
import type { ErrorCode } from '../../shared/errors/error-codes.ts'
import { errorReason } from '../../shared/errors/api-error.ts'
import { SEALED_IDLE_TIMEOUT_MS } from '../../shared/limits.ts'
import { sealedRefusalSchema } from '../../shared/wire/sealed.ts'
import {
  encodeFrame,
  SEALED_HTTP_PATH,
  sealedHttpResponseSchema,
  type SealedHttpRequest,
  decodeFrame,
} from '../../shared/wire/sealed-http.ts'
import type { Env } from '../env.ts'
import { OriginUnavailableError } from './origin-unavailable-error.ts'
import { type Freshness, sealedCall } from './sealed-call.ts'

type SealedHttpCall = Omit<SealedHttpRequest, keyof Freshness> & {
  /** Buffer that contains the request body, followed by free space for the request head. */
  room: Uint8Array<ArrayBuffer>
  bodyBytes: number
}

type SealedHttpResult = {
  status: number
  headers: [string, string][]
  body: Uint8Array<ArrayBuffer>
}

/** The origin is overloaded, or one of its components is unavailable. The request had no effect. */
export class OriginBusyError extends Error {
  readonly status: 429 | 503
  readonly fix: string
  readonly reason: ErrorCode
  readonly retryAfterS: number | undefined
  constructor(refusal: z.infer<typeof sealedRefusalSchema> & { status: 429 | 503 }) {
    super(refusal.message)
    this.name = 'OriginBusyError'
    this.status = refusal.status
    this.fix = refusal.fix
    // An origin of another release may return a reason that the edge does not recognize. The cast is safe, because no
    // code branches on the reason.
    this.reason = errorReason(refusal) as ErrorCode
    this.retryAfterS = refusal.retry_after_s
  }
}

const answerSchema = z.discriminatedUnion('state', [sealedHttpResponseSchema, sealedRefusalSchema])

/**
 * Forwards a request to the core API inside the sealed envelope. Sends the request only once, so if the response is
 * lost, it is unknown whether the request was executed.
 * @throws {OriginUnavailableError} if the origin is unreachable or returns an invalid response
 * @throws {OriginBusyError} if the origin refuses the request with 429 or 503
 */
export async function forwardSealed(
  env: Env,
  now: () => number,
  { room, bodyBytes, ...head }: SealedHttpCall,
): Promise<SealedHttpResult> {
  const silence = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined
  const resetTimer = () => {
    clearTimeout(timer)
    timer = setTimeout(() => silence.abort(), SEALED_IDLE_TIMEOUT_MS)
  }
  resetTimer()
  try {
    const text = await sealedCall(env, now, {
      path: SEALED_HTTP_PATH,
      plaintext: (freshness) => encodeFrame(room, bodyBytes, { ...head, ...freshness }),
      signal: silence.signal,
      onBytes: resetTimer,
    })
    return resultIn(text)
  } finally {
    clearTimeout(timer)
  }
}

function resultIn(text: Uint8Array<ArrayBuffer>): SealedHttpResult {
  const parts = decodeFrame(text)
  const read = parts && answerSchema.safeParse(tryParseJson(parts.head))
  if (!parts || !read?.success)
    throw new OriginUnavailableError('the origin returned an invalid response')
  const answer = read.data
  if (answer.state === 'answered')
    return { status: answer.status, headers: answer.headers, body: parts.body }
  const { status } = answer
  if (status === 429 || status === 503) throw new OriginBusyError({ ...answer, status })
  // A replay means that the origin has already accepted the request. The outcome is unknown, so the request does not
  // count as unsent.
  const reason = errorReason(answer)
  const isUnsent = reason !== 'request_replayed'
  throw new OriginUnavailableError(`the origin refused the envelope: ${reason}`, { isUnsent })
}
