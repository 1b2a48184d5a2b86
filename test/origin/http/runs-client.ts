/** Sends runs as the edge does, for tests of the origin alone. */
import type { SealedCall } from '../../../shared/envelope/seal.ts'
import { encodeFrame } from '../../../shared/wire/sealed-http.ts'
import { type RunsMessage, SEALED_RUNS_PATH } from '../../../shared/wire/sealed-runs.ts'
import type { StoredUsageKey } from '../../../shared/wire/sealed.ts'
import { TRIGGER_ID_CHARACTERS } from '../../../shared/ids.ts'
import type { OriginApp } from '../../../origin/http/operation.ts'
import type { TestOrigin } from './origin.ts'
import { fresh } from './origin-client.ts'
import { sealText } from './sealed-http-client.ts'

type Bytes = string | Uint8Array

export type SentRun = {
  id: string
  attempt?: number
  retry_lost?: boolean
  trace?: string
  code: Bytes
  /** JSON text, which may be invalid. */
  params?: Bytes
}

export type SentRuns = {
  credential: StoredUsageKey
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
    runs: runs.map(({ id, attempt = 1, retry_lost, trace, code }, at) => ({
      id,
      attempt,
      ...(retry_lost === undefined ? {} : { retry_lost }),
      ...(trace === undefined ? {} : { trace }),
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

type Options = { mode?: 'psk' | 'base'; app?: OriginApp }

/** @param plaintext of the request */
export async function sendFrame(
  origin: TestOrigin,
  plaintext: Uint8Array<ArrayBuffer>,
  { mode = 'psk', app = origin.app }: Options = {},
): Promise<RunsMessage[]> {
  const call = await sealText(origin, plaintext, mode, SEALED_RUNS_PATH)
  const response = await app.request(SEALED_RUNS_PATH, { method: 'POST', body: call.body })
  return readMessages(call, response)
}

export function sendRuns(origin: TestOrigin, sent: SentRuns): Promise<RunsMessage[]> {
  return sendFrame(origin, frameRuns(origin, sent))
}

type ExecutedRun = {
  /** Usage key, or a key that is already sealed. */
  credential: { api_key: string } | StoredUsageKey
  run: Omit<SentRun, 'code'>
  code: string
  js_params?: object
  wait_ms?: number
}

/** Executes a run of the trigger in its ID. @returns the response, which tests check by their expectations */
export async function executeRun(
  origin: TestOrigin,
  { credential, run, code, js_params = {}, wait_ms = 5_000 }: ExecutedRun,
  options: Options = {},
): Promise<any> {
  const stored =
    'api_key' in credential
      ? await storedKey(origin, credential.api_key, run.id.slice(0, TRIGGER_ID_CHARACTERS))
      : credential
  const runs = [{ ...run, code, params: JSON.stringify(js_params) }]
  const frame = frameRuns(origin, { credential: stored, runs, wait_ms })
  const [message] = await sendFrame(origin, frame, options)
  return message!.response
}

/** Seals a usage key as the edge stores it for a trigger. */
export async function storedKey(
  origin: TestOrigin,
  key: string,
  triggerId: string,
): Promise<StoredUsageKey> {
  const sealed_usage_key = await origin.sealKey(key, { triggerId, ownerId: 'user' })
  return { sealed_usage_key, trigger_id: triggerId, owner_id: 'user' }
}

/** Returns a usage key of the account that can execute all actions. Creating it costs two cents. */
export async function keyForAllActions(origin: TestOrigin, account: string): Promise<string> {
  const group = await origin.group(account, { cid_hashes_permitted: [0] })
  return origin.usageKey(account, { execute_in_groups: [group] })
}
