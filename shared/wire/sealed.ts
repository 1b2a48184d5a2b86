/**
 * Messages inside the sealed envelope (docs/decisions/0001). An unsealed response means only that the origin could not
 * open the request or was unreachable.
 */
import { z } from 'zod'
import { HPKE_SUITE } from '../envelope/format.ts'
import { EXECUTE_WAIT_MS, OUTCOMES_WAIT_MS } from '../limits.ts'
import { RUN_ID_CHARACTERS, TRIGGER_ID_CHARACTERS } from '../ids.ts'
import { paramsSchema, sourceSchema } from './action-call.ts'
import { outcomeSchema } from './outcome.ts'

export const SEALED_EXECUTE_PATH = '/sealed/execute'
export const SEALED_OUTCOMES_PATH = '/sealed/outcomes'

const base64url = z.string().regex(/^[A-Za-z0-9_-]+$/, 'base64url')
const runId = base64url.length(RUN_ID_CHARACTERS)

/** Uncompressed P-256 point in base64url. */
export const evidenceKeySchema = z.object({
  suite: z.literal(HPKE_SUITE),
  public_key: base64url.length(87),
})
export type EvidenceKey = z.infer<typeof evidenceKeySchema>

/** More than any run reaches in a day, and fits the 4-byte column of the database. */
const ATTEMPTS_MAX = 1_000_000

/** Replay protection, part of every sealed request. */
export const replayProtection = {
  /** 16 random bytes in base64url. Each ID is accepted only once. */
  request_id: base64url.length(22),
  /** Unix milliseconds, as is `expires_at`. */
  issued_at: z.int(),
  expires_at: z.int(),
}

/** Sealed for one trigger of one owner. Only the origin can open it. */
export const storedUsageKeySchema = z.object({
  sealed_usage_key: base64url,
  trigger_id: base64url.length(TRIGGER_ID_CHARACTERS),
  owner_id: z.string(),
})
export type StoredUsageKey = z.infer<typeof storedUsageKeySchema>

export const executeRequestSchema = z.object({
  ...replayProtection,
  /** API key in plain text, or as the edge stores it. */
  credential: z.union([z.object({ api_key: z.string().min(1).max(256) }), storedUsageKeySchema]),
  code: sourceSchema,
  js_params: paramsSchema,
  wait_ms: z.int().min(0).max(EXECUTE_WAIT_MS),
  /** PSK mode only. The run is executed at most once under its ID. */
  run: z
    .object({
      id: runId,
      attempt: z.int().min(1).max(ATTEMPTS_MAX),
      /** Executes the run again if an earlier attempt ended as `origin_lost`: at least once instead of at most once. */
      retry_lost: z.boolean().optional(),
    })
    .optional(),
  /** PSK mode only: IP address, for rate limits. */
  client_address: z.string().max(64).optional(),
})
export type ExecuteRequest = z.infer<typeof executeRequestSchema>

export const outcomesRequestSchema = z.object({
  ...replayProtection,
  run_ids: z.array(runId).min(1).max(64),
  wait_ms: z.int().min(0).max(OUTCOMES_WAIT_MS),
})
export type OutcomesRequest = z.infer<typeof outcomesRequestSchema>

export const sealedRefusalSchema = z.object({
  state: z.literal('refused'),
  /** Status that the core API would return for the same request. */
  status: z.int(),
  error: z.string(),
  /**
   * More specific than `error`. Absent if `error` is specific enough, and in responses of older releases, which put the
   * reason into `error` (see `errorReason`).
   */
  reason: z.string().optional(),
  message: z.string(),
  fix: z.string(),
  retry_after_s: z.number().optional(),
})
/** The request was rejected before any code ran. */
export type SealedRefusal = z.infer<typeof sealedRefusalSchema>

export const executeResponseSchema = z.discriminatedUnion('state', [
  z.object({ state: z.literal('ended'), outcome: outcomeSchema }),
  /** The run's claim is on disk. The edge can poll for the outcome by the run ID. */
  z.object({ state: z.literal('running') }),
  sealedRefusalSchema,
])
export type ExecuteResponse = z.infer<typeof executeResponseSchema>

export const outcomesResponseSchema = z.discriminatedUnion('state', [
  z.object({
    state: z.literal('known'),
    ended: z.record(z.string(), outcomeSchema),
    running: z.array(z.string()),
    /** Runs that the origin never claimed. They can safely be sent again under the same IDs. */
    unknown: z.array(z.string()),
  }),
  sealedRefusalSchema,
])
export type OutcomesResponse = z.infer<typeof outcomesResponseSchema>
