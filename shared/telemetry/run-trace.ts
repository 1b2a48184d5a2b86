import { sha256 } from '@noble/hashes/sha2.js'
import { encodeHex } from '../encoding/hex.ts'

/** Separates this hash of a run ID from every other use of the ID. */
const PURPOSE = 'svc/run-trace/v1'

type RunTrace = {
  traceId: string
  /** Span from the arrival of the event to the end of the run. */
  runSpanId: string
  /** Span of the HTTP request that delivered the event of a webhook. */
  intakeSpanId: string
}

/**
 * Returns the IDs of a run's trace. They are derived from the run ID, so that they are stored nowhere, and every attempt
 * of the run belongs to the same trace. A hash, because a run ID starts with the ID of its trigger, which is the secret
 * part of a webhook URL.
 */
export function runTrace(runId: string): RunTrace {
  const hash = encodeHex(sha256(new TextEncoder().encode(`${PURPOSE} ${runId}`)))
  return {
    traceId: hash.slice(0, 32),
    runSpanId: hash.slice(32, 48),
    intakeSpanId: hash.slice(48, 64),
  }
}
