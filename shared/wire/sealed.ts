/**
 * What travels inside the envelope (`DESIGN.md`, The channel's protocol). Every answer is sealed; an unsealed
 * one says only that the request was not opened, or that the origin is not there.
 */
import { z } from 'zod'
import { EXECUTE_WAIT_MS, OUTCOMES_WAIT_MS } from '../limits.ts'
import { RUN_ID_CHARACTERS, TRIGGER_ID_CHARACTERS } from '../ids.ts'
import { paramsSchema, sourceSchema } from './action-call.ts'
import { outcomeSchema } from './outcome.ts'

export const SEALED_EXECUTE_PATH = '/sealed/execute'
export const SEALED_OUTCOMES_PATH = '/sealed/outcomes'
/** Where the origin publishes its public keys. */
export const CHANNEL_KEY_PATH = '/evidences/channel-key.json'
export const STORAGE_KEY_PATH = '/evidences/storage-key.json'

const base64url = z.string().regex(/^[A-Za-z0-9_-]+$/, 'base64url')
const runId = base64url.length(RUN_ID_CHARACTERS)

/** A public key in the origin's evidence: an uncompressed point of P-256, in base64url. */
export const evidenceKeySchema = z.object({
  suite: z.literal('DHKEM(P-256, HKDF-SHA256), HKDF-SHA256, AES-128-GCM'),
  public_key: base64url.length(87),
})
export type EvidenceKey = z.infer<typeof evidenceKeySchema>

/** More than any run makes in a day, and within the four bytes that the database has for it. */
const ATTEMPTS_MAX = 1_000_000

/** What every sealed request carries. */
export const freshness = {
  /** 16 random bytes: a request is taken once. */
  request_id: base64url.length(22),
  /** Unix milliseconds. */
  issued_at: z.int(),
  expires_at: z.int(),
}

/** A usage key as the edge keeps it: sealed for one trigger of one owner, and opened by the origin alone. */
export const storedKeySchema = z.object({
  sealed_usage_key: base64url,
  trigger_id: base64url.length(TRIGGER_ID_CHARACTERS),
  owner_id: z.string(),
})
export type StoredKey = z.infer<typeof storedKeySchema>

export const executeRequestSchema = z.object({
  ...freshness,
  /** Whose permission counts. */
  credential: z.union([z.object({ api_key: z.string().min(1).max(256) }), storedKeySchema]),
  code: sourceSchema,
  js_params: paramsSchema,
  wait_ms: z.int().min(0).max(EXECUTE_WAIT_MS),
  /** PSK mode only: executed at most once under this id. */
  run: z
    .object({
      id: runId,
      attempt: z.int().min(1).max(ATTEMPTS_MAX),
      /** Run it again where an earlier attempt of it has ended as `origin_lost`: at least once, not at most. */
      retry_lost: z.boolean().optional(),
    })
    .optional(),
  /** PSK mode only: who asked, for limits. */
  client_address: z.string().max(64).optional(),
})
export type ExecuteRequest = z.infer<typeof executeRequestSchema>

export const outcomesRequestSchema = z.object({
  ...freshness,
  run_ids: z.array(runId).min(1).max(64),
  wait_ms: z.int().min(0).max(OUTCOMES_WAIT_MS),
})
export type OutcomesRequest = z.infer<typeof outcomesRequestSchema>

export const refusalSchema = z.object({
  state: z.literal('refused'),
  /** The status that the same request would have had over the core API. */
  status: z.int(),
  error: z.string(),
  /** Absent where `error` says it all, and in answers of releases that put it into `error`: see `reasonOf`. */
  reason: z.string().optional(),
  message: z.string(),
  fix: z.string(),
  retry_after_s: z.number().optional(),
})
/** Refused before any code ran. */
export type Refusal = z.infer<typeof refusalSchema>

export const executeAnswerSchema = z.discriminatedUnion('state', [
  z.object({ state: z.literal('ended'), outcome: outcomeSchema }),
  /** The claim is on disk; ask for the outcome under the run's id. */
  z.object({ state: z.literal('running') }),
  refusalSchema,
])
export type ExecuteAnswer = z.infer<typeof executeAnswerSchema>

export const outcomesAnswerSchema = z.discriminatedUnion('state', [
  z.object({
    state: z.literal('known'),
    ended: z.record(z.string(), outcomeSchema),
    running: z.array(z.string()),
    /** Never claimed here: it was not executed, and may be sent again under the same id. */
    unknown: z.array(z.string()),
  }),
  refusalSchema,
])
export type OutcomesAnswer = z.infer<typeof outcomesAnswerSchema>
