/**
 * Messages inside the envelope (docs/decisions/0001). Every response is sealed. An unsealed one means only that the
 * origin could not open the request, or was unreachable.
 */
import { z } from 'zod'
import { EXECUTE_WAIT_MS, OUTCOMES_WAIT_MS } from '../limits.ts'
import { RUN_ID_CHARACTERS, TRIGGER_ID_CHARACTERS } from '../ids.ts'
import { paramsSchema, sourceSchema } from './action-call.ts'
import { outcomeSchema } from './outcome.ts'

export const SEALED_EXECUTE_PATH = '/sealed/execute'
export const SEALED_OUTCOMES_PATH = '/sealed/outcomes'
// Paths of the origin's public keys.
export const CHANNEL_KEY_PATH = '/evidences/channel-key.json'
export const STORAGE_KEY_PATH = '/evidences/storage-key.json'

const base64url = z.string().regex(/^[A-Za-z0-9_-]+$/, 'base64url')
const runId = base64url.length(RUN_ID_CHARACTERS)

/** A public key in the origin's evidence: an uncompressed P-256 point in base64url. */
export const evidenceKeySchema = z.object({
  suite: z.literal('DHKEM(P-256, HKDF-SHA256), HKDF-SHA256, AES-128-GCM'),
  public_key: base64url.length(87),
})
export type EvidenceKey = z.infer<typeof evidenceKeySchema>

/** More attempts than any run makes in a day, and within the 4-byte column of the database. */
const ATTEMPTS_MAX = 1_000_000

/** Replay protection, part of every sealed request. */
export const freshness = {
  /** 16 random bytes. A request ID is accepted only once. */
  request_id: base64url.length(22),
  /** Unix milliseconds. */
  issued_at: z.int(),
  expires_at: z.int(),
}

/** A usage key as the edge stores it: sealed for one trigger of one owner. Only the origin can open it. */
export const storedKeySchema = z.object({
  sealed_usage_key: base64url,
  trigger_id: base64url.length(TRIGGER_ID_CHARACTERS),
  owner_id: z.string(),
})
export type StoredKey = z.infer<typeof storedKeySchema>

export const executeRequestSchema = z.object({
  ...freshness,
  /** The key that authorizes the run. */
  credential: z.union([z.object({ api_key: z.string().min(1).max(256) }), storedKeySchema]),
  code: sourceSchema,
  js_params: paramsSchema,
  wait_ms: z.int().min(0).max(EXECUTE_WAIT_MS),
  /** PSK mode only: the run is executed at most once under this ID. */
  run: z
    .object({
      id: runId,
      attempt: z.int().min(1).max(ATTEMPTS_MAX),
      /** Runs it again if an earlier attempt ended as `origin_lost`: at least once instead of at most once. */
      retry_lost: z.boolean().optional(),
    })
    .optional(),
  /** PSK mode only: the client address, for rate limits. */
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
  /** The status that the core API would return for the same request. */
  status: z.int(),
  error: z.string(),
  /**
   * Absent if `error` is specific enough, and in responses of older releases, which put it into `error`: see
   * `reasonOf`.
   */
  reason: z.string().optional(),
  message: z.string(),
  fix: z.string(),
  retry_after_s: z.number().optional(),
})
/** Rejected before any code ran. */
export type Refusal = z.infer<typeof refusalSchema>

export const executeAnswerSchema = z.discriminatedUnion('state', [
  z.object({ state: z.literal('ended'), outcome: outcomeSchema }),
  /** The claim is on disk. Poll for the outcome by the run ID. */
  z.object({ state: z.literal('running') }),
  refusalSchema,
])
export type ExecuteAnswer = z.infer<typeof executeAnswerSchema>

export const outcomesAnswerSchema = z.discriminatedUnion('state', [
  z.object({
    state: z.literal('known'),
    ended: z.record(z.string(), outcomeSchema),
    running: z.array(z.string()),
    /** Never claimed by the origin: not executed, and safe to send again under the same ID. */
    unknown: z.array(z.string()),
  }),
  refusalSchema,
])
export type OutcomesAnswer = z.infer<typeof outcomesAnswerSchema>
