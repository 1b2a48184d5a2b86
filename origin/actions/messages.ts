import { z } from 'zod'
import { tryParseJson } from '../../shared/json/try-parse-json.ts'
import {
  CIPHERTEXT_MAX_CHARACTERS,
  ENCRYPTED_MESSAGE_MAX_BYTES,
  EXECUTION_WALL_MAX_MS,
  LOGS_MAX_BYTES,
  OUTBOUND_REQUESTS_MAX,
  RESULT_MAX_BYTES,
  SIGNING_INPUT_MAX_BYTES,
  TRANSACTION_JSON_MAX_CHARACTERS,
} from '../../shared/limits.ts'
import { KEY_ID_MAX_CHARACTERS, KEY_OPERATIONS_FORWARDED } from './key-limit.ts'
import type { OutboundPolicy } from './outbound/policy.ts'
import { type KeyOperation, type FailedResult, type ReturnedResult, FAILURE_CODES } from './run.ts'
import { LOG_LEVELS, type LogLine } from '../../shared/wire/log-line.ts'

/**
 * Messages from the worker pool to an executor. `token` identifies the run. Only the worker pool and the executor know
 * it.
 */
export type MessageToExecutor =
  /** First message to an executor, which responds with `ready`. */
  | { type: 'start'; outbound: OutboundPolicy }
  | { type: 'run'; token: string; code: string; params: string; wallMs: number; cpuMs: number }
  | { type: 'key_answer'; token: string; id: number; answer: KeyResponse }
  | { type: 'stop'; token: string }

export type KeyResponse =
  | { ok: true; value: string }
  | { ok: false; message: string; code?: 'key_operation_limit' }

export type KeyRequest = { id: number; operation: KeyOperation }

export type RunProgress = {
  token: string
  /** CPU time of the run so far. */
  computedMs: number
  /** Console output since the previous message of the run. Absent if there is none. */
  logs?: LogLine[] | undefined
}

export type MessageFromExecutor =
  | { type: 'ready'; rssBytes: number }
  /**
   * The run waits. It uses no CPU until the next `computes` message. `operations` contains the new key operations for
   * which the run waits.
   */
  | ({ type: 'waits'; operations: KeyRequest[] } & RunProgress)
  /** The run is computing. Sent repeatedly. */
  | ({ type: 'computes' } & RunProgress)
  /**
   * The run has ended, and the next run may be sent immediately. `rssBytes` is the last measured memory size of the
   * process.
   */
  | { type: 'ended'; token: string; result: ReturnedResult | FailedResult; rssBytes: number }

const id = z.string().min(1).max(KEY_ID_MAX_CHARACTERS)
const hex = z.string().max(2 + 2 * SIGNING_INPUT_MAX_BYTES)
const operation = z.discriminatedUnion('name', [
  z.strictObject({ name: z.literal('getPrivateKey'), pkpId: id }),
  z.strictObject({
    name: z.literal('encrypt'),
    pkpId: id,
    // The limit is in bytes, and every character takes at least one byte. Encryption checks the exact size.
    message: z.string().max(ENCRYPTED_MESSAGE_MAX_BYTES),
  }),
  z.strictObject({
    name: z.literal('decrypt'),
    pkpId: id,
    ciphertext: z.string().max(CIPHERTEXT_MAX_CHARACTERS),
  }),
  z.strictObject({ name: z.literal('signMessage'), pkpId: id, message: hex }),
  z.strictObject({
    name: z.literal('signTypedData'),
    pkpId: id,
    // As for `encrypt`, the exact size in bytes is checked later.
    typedData: z.string().max(SIGNING_INPUT_MAX_BYTES),
  }),
  z.strictObject({
    name: z.literal('signTransaction'),
    pkpId: id,
    transaction: z.string().max(TRANSACTION_JSON_MAX_CHARACTERS),
  }),
  z.strictObject({ name: z.literal('signDigest'), pkpId: id, digest: hex }),
  z.strictObject({
    name: z.literal('sendTransaction'),
    request: z.string().max(TRANSACTION_JSON_MAX_CHARACTERS),
  }),
  z.strictObject({
    name: z.literal('transaction'),
    id,
    waitFor: z.enum(['mined', 'final']).optional(),
    timeoutMs: z.int().min(0).max(EXECUTION_WALL_MAX_MS).optional(),
  }),
  z.strictObject({ name: z.literal('getSvcActionPrivateKey') }),
  z.strictObject({ name: z.literal('getTraceparent') }),
  z.strictObject({ name: z.literal('getSvcActionPublicKey'), ipfsId: id }),
  z.strictObject({ name: z.literal('getSvcActionWalletAddress'), ipfsId: id }),
])
const logs = z.array(
  z.strictObject({
    level: z.enum(LOG_LEVELS),
    at_ms: z.number(),
    text: z.string().max(LOGS_MAX_BYTES + 1024),
  }),
)
const requests = z
  .array(
    z.strictObject({
      at_ms: z.int().min(0),
      ms: z.int().min(0),
      status: z.int().min(100).max(999).optional(),
    }),
  )
  .max(OUTBOUND_REQUESTS_MAX)
const progress = {
  token: z.string(),
  computedMs: z.number().nonnegative(),
  logs: logs.optional(),
}
const measurements = {
  logs,
  durationMs: z.number().nonnegative(),
  cpuMs: z.number().nonnegative(),
  requests: requests.optional(),
}
const result = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('returned'),
    value: z.string().max(RESULT_MAX_BYTES),
    ...measurements,
  }),
  z.strictObject({
    kind: z.literal('failed'),
    code: z.enum(FAILURE_CODES),
    message: z.string(),
    stack: z.string(),
    ...measurements,
  }),
])
const message = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('ready'), rssBytes: z.number() }),
  z.strictObject({
    type: z.literal('waits'),
    operations: z.array(z.strictObject({ id: z.int(), operation })).max(KEY_OPERATIONS_FORWARDED),
    ...progress,
  }),
  z.strictObject({ type: z.literal('computes'), ...progress }),
  z.strictObject({
    type: z.literal('ended'),
    token: z.string(),
    result,
    rssBytes: z.number().nonnegative(),
  }),
])

/**
 * Validates a message from an executor. Executors run untrusted code, so their messages are not trusted either. Returns
 * undefined for any message that a genuine executor would not send.
 */
export function parseExecutorMessage(value: unknown): MessageFromExecutor | undefined {
  const read = message.safeParse(value)
  if (!read.success) return undefined
  const { data } = read
  const returned = data.type === 'ended' && data.result.kind === 'returned' && data.result.value
  return returned !== false && tryParseJson(returned) === undefined ? undefined : data
}
