import { MODE_PSK } from '../../shared/envelope/format.ts'
import { ApiError } from '../../shared/errors/api-error.ts'
import type { Outcome } from '../../shared/wire/outcome.ts'
import {
  type OutcomesResponse,
  type OutcomesRequest,
  outcomesRequestSchema,
  SEALED_OUTCOMES_PATH,
} from '../../shared/wire/sealed.ts'
import type { OriginServices } from '../services.ts'
import { undefinedAfter } from '../timeout.ts'
import type { SealedOperation } from './sealed.ts'

/** Poll interval for runs of other processes. Their outcomes are visible only in the database. */
const OTHER_PROCESS_POLL_MS = 250

/**
 * Maximum size of a response. The edge's Durable Object buffers several copies of a response in its 128 MB of memory,
 * and requests the remaining outcomes separately.
 */
const ANSWER_MAX_BYTES = 4 * 1024 * 1024

/**
 * Responds as soon as one run has finished or is unknown, when the wait times out, or when the process has drained. A
 * replayed request is answered, too, because it changes nothing, and only the sender of the original request can
 * decrypt the response.
 */
export const sealedOutcomesOperation: SealedOperation<OutcomesRequest> = {
  path: SEALED_OUTCOMES_PATH,
  schema: outcomesRequestSchema,
  isOfEdge: true,
  handle: async (body, mode, services): Promise<OutcomesResponse> => {
    if (mode !== MODE_PSK)
      throw new ApiError(403, 'Only the edge can look up outcomes.', 'Get the run from the edge.')
    const deadline = services.now() + body.wait_ms
    for (;;) {
      const answer = await readOutcomes(body.run_ids, services)
      const left = deadline - services.now()
      const news = Object.keys(answer.ended).length > 0 || answer.unknown.length > 0
      if (news || left <= 0 || services.drain.isOver) return answer
      await waitForOutcome(left, answer.running, services)
    }
  },
}

async function readOutcomes(
  runIds: readonly string[],
  { claims }: OriginServices,
): Promise<Extract<OutcomesResponse, { state: 'known' }>> {
  const states = await claims.states(runIds, ANSWER_MAX_BYTES)
  const ended: Record<string, Outcome> = {}
  const running: string[] = []
  const unknown: string[] = []
  for (const runId of runIds) {
    const known = states.get(runId)
    if (!known) unknown.push(runId)
    else if (known.state === 'running') running.push(runId)
    else ended[runId] = known.outcome
  }
  return { state: 'known', ended, running, unknown }
}

/** Runs of this process need fewer database checks, because their outcomes are in memory. */
async function waitForOutcome(
  leftMs: number,
  runIds: string[],
  { executions }: OriginServices,
): Promise<void> {
  const own = runIds.flatMap((id) => executions.inFlight(id))
  const otherProcess = own.length < runIds.length
  const pollMs = otherProcess ? OTHER_PROCESS_POLL_MS : OTHER_PROCESS_POLL_MS * 4
  await undefinedAfter(Math.min(leftMs, pollMs), Promise.race(own)).catch(() => {})
}
