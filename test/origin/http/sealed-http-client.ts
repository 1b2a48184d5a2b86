/** Passes requests on as the edge does, for tests of the origin alone. */
import { importChannelKey, sealCall } from '../../../shared/envelope/seal.ts'
import { encodeFrame, SEALED_HTTP_PATH, decodeFrame } from '../../../shared/wire/sealed-http.ts'
import type { OriginApp } from '../../../origin/http/operation.ts'
import type { TestOrigin } from './origin.ts'
import { fresh } from './origin-client.ts'

export type Passed = {
  method?: string
  path?: string
  query?: string
  headers?: [string, string][]
  client_address?: string
  body?: string | Uint8Array
  /** Changes to the head, which may make it invalid. */
  head?: object
}

type Options = { mode?: 'psk' | 'base'; app?: OriginApp; sealedFor?: string; sentTo?: string }

/** Returns the bytes of a request that the edge passes on. */
export async function sealHttp(origin: TestOrigin, passed: Passed, options: Options = {}) {
  const { mode = 'psk', sealedFor = SEALED_HTTP_PATH } = options
  const { body = '', head = {}, ...rest } = passed
  const bytes = new Uint8Array(Buffer.from(body))
  const text = encodeFrame(bytes, bytes.length, {
    ...fresh(origin.services.now()),
    method: 'GET',
    path: '/core/v1/version',
    query: '',
    headers: [],
    client_address: '203.0.113.7',
    ...rest,
    ...head,
  })
  return sealText(origin, text, mode, sealedFor)
}

export async function sealText(
  origin: TestOrigin,
  plaintext: Uint8Array<ArrayBuffer>,
  mode: 'psk' | 'base' = 'psk',
  path: string = SEALED_HTTP_PATH,
) {
  const { current, keys } = origin.services.channel
  return sealCall(await importChannelKey(Uint8Array.from(current.publicKey)), {
    method: 'POST',
    path,
    plaintext,
    ...(mode === 'psk' ? { psk: Uint8Array.from(keys.psk) } : {}),
  })
}

export type Answered = {
  state: string
  status: number
  error?: string
  headers: Headers
  text: string
  body: any
}

/**
 * Sends a sealed request.
 * @returns the content of the envelope, or the status of a rejection in the clear
 */
export async function sendHttp(
  origin: TestOrigin,
  { body, open }: Awaited<ReturnType<typeof sealHttp>>,
  { app = origin.app, sentTo = SEALED_HTTP_PATH }: Options = {},
): Promise<Answered | { unsealed: number }> {
  const response = await app.request(sentTo, { method: 'POST', body })
  const bytes = new Uint8Array(await response.arrayBuffer())
  if (response.status !== 200) return { unsealed: response.status }
  const parts = decodeFrame(await open(bytes.subarray(bytes.findIndex((byte) => byte !== 0))))!
  const { headers = [], ...head } = JSON.parse(parts.head)
  const text = Buffer.from(parts.body).toString('utf8')
  return {
    ...head,
    headers: new Headers(headers),
    text,
    body: text === '' ? undefined : json(text),
  }
}

/** Passes a request on, and expects a response inside the envelope. */
export async function passOn(
  origin: TestOrigin,
  passed: Passed,
  options: Options = {},
): Promise<Answered> {
  const answer = await sendHttp(origin, await sealHttp(origin, passed, options), options)
  if ('unsealed' in answer) throw new Error(`refused in the clear: ${answer.unsealed}`)
  return answer
}

function json(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
