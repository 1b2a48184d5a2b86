import { groupBy } from '../../shared/group-by.ts'
import type { FailedRun } from '../../shared/wire/failed-runs.ts'
import type { RunStatus } from '../../shared/wire/trigger.ts'
import type { Env } from '../env.ts'
import { withTimeout } from '../sleep.ts'
import type { FailedRunFilter, FailedRunPosition, StoredFailedRun } from './failed-run-queries.ts'
import { suffixOfReplay, toFailedRun } from './records.ts'

type Objects = Pick<Env, 'USER_REPORTS' | 'TRIGGER_QUEUE'>
type Statuses = Readonly<Record<string, RunStatus>>

/** If a trigger's object does not respond in time, the states of its replays are null. */
const STATUS_TIMEOUT_MS = 2_000

/** Lists failed runs with the states of their replays, which are in the objects of their triggers. */
export async function listFailedRuns(
  objects: Objects,
  ownerId: string,
  filter: FailedRunFilter,
  page: { limit: number; after?: FailedRunPosition | undefined },
): Promise<{ runs: FailedRun[]; next: FailedRunPosition | undefined }> {
  const reports = objects.USER_REPORTS.getByName(ownerId)
  const { runs, next: position } = await reports.failedRuns(filter, page)
  const next = position as FailedRunPosition | undefined
  const replayed = runs.filter((run) => suffixOfReplay(run) !== undefined)
  if (replayed.length === 0)
    return { runs: runs.map((run) => toFailedRun(run, undefined, () => false)), next }
  const [statuses, running] = await Promise.all([
    statusesByTrigger(objects, ownerId, replayed),
    reports.runningReplays(),
  ])
  const isPending = (replayId: string) => running.includes(replayId)
  return { runs: runs.map((run) => toFailedRun(run, statuses.get(run.triggerId), isPending)), next }
}

async function statusesByTrigger(
  { TRIGGER_QUEUE }: Pick<Env, 'TRIGGER_QUEUE'>,
  ownerId: string,
  runs: readonly StoredFailedRun[],
): Promise<Map<string, Statuses | undefined>> {
  const byTrigger = groupBy(runs, ({ triggerId }) => triggerId)
  const entries = [...byTrigger].map(async ([triggerId, ofTrigger]) => {
    const suffixes = ofTrigger.flatMap((run) => suffixOfReplay(run) ?? [])
    const call = TRIGGER_QUEUE.getByName(triggerId).runStates(ownerId, suffixes)
    const statuses = await withTimeout(
      Promise.resolve(call).catch(() => undefined),
      STATUS_TIMEOUT_MS,
    )
    return [triggerId, statuses] as const
  })
  return new Map(await Promise.all(entries))
}
