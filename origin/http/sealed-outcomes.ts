import { MODE_PSK } from '../../shared/envelope/format.ts'
import { ApiError } from '../../shared/errors.ts'
import type { Outcome } from '../../shared/wire/outcome.ts'
import {
  type OutcomesAnswer,
  type OutcomesRequest,
  outcomesRequestSchema,
  SEALED_OUTCOMES_PATH,
} from '../../shared/wire/sealed.ts'
import type { Services } from '../services.ts'
import { requireFirst, type SealedOperation } from './sealed.ts'

/** A run of another process is looked for this often: its end shows in the database alone. */
const OTHER_PROCESS_POLL_MS = 250

/** The edge's object holds an answer several times over and has 128 MB: what is left is told when it asks again. */
const ANSWER_MAX_BYTES = 4 * 1024 * 1024

/** What became of runs: answers as soon as one of them has ended or is unknown, or when the wait is over. */
export const sealedOutcomes: SealedOperation<OutcomesRequest> = {
  path: SEALED_OUTCOMES_PATH,
  schema: outcomesRequestSchema,
  isOfEdge: true,
  handle: async (body, mode, services): Promise<OutcomesAnswer> => {
    if (mode !== MODE_PSK)
      throw new ApiError(403, 'Outcomes are told to the edge alone.', 'Ask the edge for the run.')
    await requireFirst(body, services)
    const deadline = services.now() + body.wait_ms
    for (;;) {
      const answer = await look(body.run_ids, services)
      const left = deadline - services.now()
      const news = Object.keys(answer.ended).length > 0 || answer.unknown.length > 0
      if (news || left <= 0) return answer
      await pause(left, answer.running, services)
    }
  },
}

async function look(
  runIds: readonly string[],
  { claims }: Services,
): Promise<Extract<OutcomesAnswer, { state: 'known' }>> {
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

/** Until the next look: cut short by the end of a run of this process, so that the database is spared. */
async function pause(leftMs: number, runIds: string[], { executions }: Services): Promise<void> {
  const own = runIds.flatMap((id) => executions.underWay(id))
  const otherProcess = own.length < runIds.length
  let timer: NodeJS.Timeout | undefined
  const timeUp = new Promise<void>((resolve) => {
    const lookAgain = otherProcess ? OTHER_PROCESS_POLL_MS : OTHER_PROCESS_POLL_MS * 4
    timer = setTimeout(resolve, Math.min(leftMs, lookAgain))
  })
  const settled = own.map((outcome) =>
    outcome.then(
      () => {},
      () => {},
    ),
  )
  await Promise.race([timeUp, ...settled])
  clearTimeout(timer)
}
