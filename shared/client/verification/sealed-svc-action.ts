/**
 * Seals a call of an action. The envelope contains the API key, the code and the params, encrypted for an origin that
 * the client has verified itself. Intermediaries, including the edge, can neither read nor change the call.
 */
import { encodeBase64url } from '../../encoding/base64url.ts'
import { sameBytes } from '../../encoding/bytes.ts'
import { SEALED_CONTENT_TYPE } from '../../envelope/format.ts'
import { importChannelKey, sealCall } from '../../envelope/seal.ts'
import { tryParseJson } from '../../json/try-parse-json.ts'
import { SEALED_RESPONSE_MAX_BYTES, SEALED_REQUEST_LIFETIME_MS } from '../../limits.ts'
import type { Receipt } from '../../receipts/receipt.ts'
import type { Outcome } from '../../wire/outcome.ts'
import {
  type ExecuteResponse,
  executeResponseSchema,
  SEALED_EXECUTE_PATH,
} from '../../wire/sealed.ts'
import { readBoundedBody } from '../../network/bounded-body.ts'
import { CallRefused } from './call-refused.ts'
import { importReceiptKey } from './receipt-key.ts'
import { verifyCallReceipt } from './verify-call-receipt.ts'
import { AnswerUnreadable, AnswerUnsealed, ChannelKeyUnknown, TrustExpired } from './failures.ts'
import type { TrustedOrigin } from './trusted-origin.ts'

export type SealedChannel = {
  trusted: TrustedOrigin
  /** URL of the origin, or of an edge that forwards sealed requests. */
  url: string | URL
  fetch: typeof fetch
  random: (bytes: number) => Uint8Array<ArrayBuffer>
  now: () => number
  /** Signal that aborts the wait for the response. The origin may already have started the action. */
  signal?: AbortSignal
}

export type ActionCall = { apiKey: string; code: string; jsParams?: object }

export type SealedResult = {
  /** Outcome of the call. A response that reports a failed action is also valid. */
  outcome: Outcome
  /** Receipt that was verified to be for this call. Undefined if the origin lost the run. */
  receipt: Receipt | undefined
  /** Origin to use for later calls. Differs from the given origin if the origin had to be verified again. */
  trusted: TrustedOrigin
}

/**
 * Executes an action at most once. The call is sealed again only if the origin's verified channel key has changed, and
 * then with the same request ID, which all processes of the origin accept only once. Therefore, an intermediary cannot
 * have the action executed twice by also forwarding the first call to a process with the old key.
 * @throws {TrustExpired | CallRefused | AnswerUnsealed | AnswerUnreadable | ChannelKeyUnknown} see `failures.ts`
 * @throws {AnswerNotAuthentic} if the response is not the origin's response to this call
 * @throws {ReceiptRefused | ReceiptMismatch} if the receipt is not for this call and outcome
 * @throws {EvidenceRefused} if the origin had to be verified again, and its evidence failed
 */
export async function sealedSvcAction(
  channel: SealedChannel,
  call: ActionCall,
): Promise<SealedResult> {
  const paramsText = JSON.stringify(call.jsParams ?? {})
  const prepared = { call, paramsText, requestId: channel.random(16), issuedAt: channel.now() }
  let { trusted } = channel
  let response = await sendSealed(channel, trusted, prepared)
  if (response === 'unknown_key') {
    const renewed = await trusted.verifyAgain()
    if (sameBytes(renewed.channelKey, trusted.channelKey)) throw new ChannelKeyUnknown()
    trusted = renewed
    response = await sendSealed(channel, trusted, prepared)
    if (response === 'unknown_key') throw new ChannelKeyUnknown()
  }
  if (response.state === 'refused') throw new CallRefused(response)
  if (response.state === 'running') throw new AnswerUnreadable('it belongs to a run with an ID')
  const { outcome } = response
  const { composeHash, receiptKey } = trusted
  const signer = { key: await importReceiptKey(receiptKey), composeHash }
  const receipt = await verifyCallReceipt({ code: call.code, paramsText }, outcome, signer)
  return { outcome, receipt, trusted }
}

const UNKNOWN_CHANNEL_KEY = 421

/**
 * A call with the values that stay the same if it is sealed again. The processes of the origin together accept a
 * request ID only once, and store the ID until the request expires, counted from `issuedAt`.
 */
type PreparedCall = {
  call: ActionCall
  paramsText: string
  requestId: Uint8Array
  issuedAt: number
}

async function sendSealed(
  { url, fetch, now, signal }: SealedChannel,
  trusted: TrustedOrigin,
  { call, paramsText, requestId, issuedAt }: PreparedCall,
): Promise<ExecuteResponse | 'unknown_key'> {
  if (now() >= trusted.verifiedUntil) throw new TrustExpired()
  const channelKey = await importChannelKey(Uint8Array.from(trusted.channelKey))
  const { body, open } = await sealCall(channelKey, {
    method: 'POST',
    path: SEALED_EXECUTE_PATH,
    plaintext: plaintextOf(call, paramsText, { requestId, issuedAt }),
  })
  const response = await fetch(new URL(SEALED_EXECUTE_PATH, url), {
    method: 'POST',
    body,
    headers: { 'content-type': SEALED_CONTENT_TYPE },
    redirect: 'manual',
    ...(signal && { signal }),
  })
  const { status } = response
  if (status !== 200 || response.headers.get('content-type') !== SEALED_CONTENT_TYPE) {
    await response.body?.cancel()
    if (status === UNKNOWN_CHANNEL_KEY) return 'unknown_key'
    throw new AnswerUnsealed(status)
  }
  const sealed = await readBoundedBody(response, SEALED_RESPONSE_MAX_BYTES)
  if (!sealed) throw new AnswerUnreadable('it is too large')
  return parseExecuteResponse(await open(sealed))
}

/**
 * Builds the plaintext. The params are inserted as the same text that is hashed for the comparison with the receipt.
 */
function plaintextOf(
  { apiKey, code }: ActionCall,
  paramsText: string,
  { requestId, issuedAt }: { requestId: Uint8Array; issuedAt: number },
): Uint8Array<ArrayBuffer> {
  const rest = JSON.stringify({
    request_id: encodeBase64url(requestId),
    issued_at: issuedAt,
    expires_at: issuedAt + SEALED_REQUEST_LIFETIME_MS,
    credential: { api_key: apiKey },
    code,
    wait_ms: 0,
  })
  const text = `${rest.slice(0, -1)},"js_params":${paramsText}}`
  return new Uint8Array(new TextEncoder().encode(text))
}

function parseExecuteResponse(text: Uint8Array): ExecuteResponse {
  const json = tryParseJson(new TextDecoder().decode(text))
  if (json === undefined) throw new AnswerUnreadable('it is not JSON')
  const read = executeResponseSchema.safeParse(json)
  if (!read.success) throw new AnswerUnreadable('it has the wrong shape')
  return read.data
}
