/**
 * Messages inside the sealed envelope (docs/decisions/0001). An unsealed response means only that the origin could not
 * decrypt the request or was unreachable.
 */
import { z } from 'zod'
import { HPKE_SUITE } from '../envelope/format.ts'
import { OUTCOMES_WAIT_MS } from '../limits.ts'
import { RUN_ID_CHARACTERS, TRIGGER_ID_CHARACTERS } from '../ids.ts'
import { paramsSchema, sourceSchema } from './action-call.ts'
import { outcomeSchema } from './outcome.ts'

export const SEALED_EXECUTE_PATH = '/sealed/execute'
export const SEALED_OUTCOMES_PATH = '/sealed/outcomes'

export const base64url = z.string().regex(/^[A-Za-z0-9_-]+$/, 'base64url')
export const runIdSchema = base64url.length(RUN_ID_CHARACTERS)

/** Public key in the evidence: an uncompressed P-256 point in base64url. */
export const evidenceKeySchema = z.object({
  suite: z.literal(HPKE_SUITE),
  public_key: base64url.length(87),
})
export type EvidenceKey = z.infer<typeof evidenceKeySchema>

export const replayProtection = {
  /** Request ID: 16 random bytes in base64url. Each ID is accepted only once. */
  request_id: base64url.length(22),
  /** Time of the request in Unix milliseconds. `expires_at` has the same unit. */
  issued_at: z.int(),
  expires_at: z.int(),
}

/** Usage key that is sealed for one trigger of one owner. Only the origin can decrypt it. */
export const storedUsageKeySchema = z.object({
  sealed_usage_key: base64url,
  trigger_id: base64url.length(TRIGGER_ID_CHARACTERS),
  owner_id: z.string(),
})
export type StoredUsageKey = z.infer<typeof storedUsageKeySchema>

/** A call of a client, which is executed once. The response contains its outcome. */
export const executeRequestSchema = z.object({
  ...replayProtection,
  credential: z.strictObject({ api_key: z.string().min(1).max(256) }),
  code: sourceSchema,
  js_params: paramsSchema,
  /** Sent by clients for older origins, and ignored. */
  wait_ms: z.int().min(0).optional(),
})
export type ExecuteRequest = z.infer<typeof executeRequestSchema>

export const outcomesRequestSchema = z.object({
  ...replayProtection,
  run_ids: z.array(runIdSchema).min(1).max(64),
  wait_ms: z.int().min(0).max(OUTCOMES_WAIT_MS),
})
export type OutcomesRequest = z.infer<typeof outcomesRequestSchema>

export const sealedRefusalSchema = z.object({
  state: z.literal('refused'),
  /** HTTP status that the core API would return for the same request. */
  status: z.int(),
  error: z.string(),
  /**
   * Reason that is more specific than `error`. Absent if `error` is specific enough, and in responses of older
   * releases, which put the reason into `error` (see `errorReason`).
   */
  reason: z.string().optional(),
  message: z.string(),
  fix: z.string(),
  retry_after_s: z.number().optional(),
})
export type SealedRefusal = z.infer<typeof sealedRefusalSchema>

export const executeResponseSchema = z.discriminatedUnion('state', [
  z.object({ state: z.literal('ended'), outcome: outcomeSchema }),
  /** The run's claim is on disk, and the edge can poll for the outcome by the run ID. */
  z.object({ state: z.literal('running') }),
  sealedRefusalSchema,
])
export type ExecuteResponse = z.infer<typeof executeResponseSchema>

export const outcomesResponseSchema = z.discriminatedUnion('state', [
  z.object({
    state: z.literal('known'),
    ended: z.record(z.string(), outcomeSchema),
    running: z.array(z.string()),
    /** IDs of runs that the origin never claimed. The runs can safely be sent again under the same IDs. */
    unknown: z.array(z.string()),
  }),
  sealedRefusalSchema,
])
export type OutcomesResponse = z.infer<typeof outcomesResponseSchema>
