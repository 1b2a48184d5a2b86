/** Sends runs as the edge does, for tests of the origin alone. */
import type { SealedCall } from '../../../shared/envelope/seal.ts'
import { encodeFrame } from '../../../shared/wire/sealed-http.ts'
import {
  type RunsMessage,
  type RunsRequest,
  SEALED_RUNS_PATH,
} from '../../../shared/wire/sealed-runs.ts'
import { fresh, type TestOrigin } from './origin.ts'
import { sealText } from './sealed-http-client.ts'

type Bytes = string | Uint8Array

export type SentRun = {
  id: string
  attempt?: number
  code: Bytes
  /** JSON text, which may be invalid. */
  params?: Bytes
}

export type SentRuns = {
  credential: RunsRequest['credential']
  runs: readonly SentRun[]
  wait_ms?: number
  /** Changes to the head, which may make it invalid. */
  head?: object
}

/** Each source is sent once. */
export function frameRuns(
  origin: TestOrigin,
  { credential, runs, wait_ms = 5_000, head = {} }: SentRuns,
): Uint8Array<ArrayBuffer> {
  const sources = [...new Set(runs.map(({ code }) => code))]
  const params = runs.map(({ params: text = '{}' }) => Buffer.from(text))
  const body = Uint8Array.from(
    Buffer.concat([...sources.map((code) => Buffer.from(code)), ...params]),
  )
  return encodeFrame(body, body.length, {
    ...fresh(origin.services.now()),
    credential,
    wait_ms,
    source_bytes: sources.map((code) => Buffer.from(code).length),
    runs: runs.map(({ id, attempt = 1, code }, at) => ({
      id,
      attempt,
      source: sources.indexOf(code),
      params_bytes: params[at]!.length,
    })),
    ...head,
  })
}

/** Returns the messages in the order in which they arrive. */
export async function* messagesOf(call: SealedCall, response: Response) {
  for await (const message of call.openStream(response.body!))
    yield JSON.parse(Buffer.from(message).toString()) as RunsMessage
}

export async function readMessages(call: SealedCall, response: Response): Promise<RunsMessage[]> {
  const messages: RunsMessage[] = []
  for await (const message of messagesOf(call, response)) messages.push(message)
  return messages
}

/** @param plaintext of the request */
export async function sendFrame(
  origin: TestOrigin,
  plaintext: Uint8Array<ArrayBuffer>,
  mode: 'psk' | 'base' = 'psk',
): Promise<RunsMessage[]> {
  const call = await sealText(origin, plaintext, mode, SEALED_RUNS_PATH)
  return readMessages(call, await origin.post(SEALED_RUNS_PATH, call.body))
}

export function sendRuns(origin: TestOrigin, sent: SentRuns): Promise<RunsMessage[]> {
  return sendFrame(origin, frameRuns(origin, sent))
}
