import {
  ALL_RUNS_FILTERED_MAX,
  ALL_RUNS_TRIGGERS_MAX,
  RUN_SEARCH_MAX_RUNS,
} from '../../shared/limits.ts'
import { groupBy } from '../../shared/group-by.ts'
import { isSearch, type RunSearch } from '../../shared/wire/run-search.ts'
import type { RunStatus } from '../../shared/wire/trigger.ts'
import type { Env } from '../env.ts'
import type { RunRange } from '../queue/run-history.ts'
import type { RunSummary } from '../queue/trigger-snapshot.ts'
import type { RunReference } from './run-index.ts'

type Objects = Pick<Env, 'USER_REPORTS' | 'TRIGGER_QUEUE'>

export type AllRunsFilter = {
  triggerId?: string | undefined
  status?: RunStatus | undefined
  /** Inclusive lower and exclusive upper bound of the queue time, in Unix milliseconds. */
  since?: number | undefined
  until?: number | undefined
  search: RunSearch
}

export type AllRunsPage = {
  runs: (RunSummary & { triggerId: string })[]
  /** Position of the last run that was read. Undefined on the last page. */
  next: RunReference | undefined
}

/**
 * Lists the runs of all triggers of a user, newest first (`docs/decisions/0161`). The index of the user's object has the
 * order of the runs, and the objects of the triggers have their contents.
 */
export async function listAllRuns(
  objects: Objects,
  ownerId: string,
  filter: AllRunsFilter,
  { limit, after }: { limit: number; after?: RunReference | undefined },
): Promise<AllRunsPage> {
  const { triggerId, status, since, until, search } = filter
  const found = await objects.USER_REPORTS.getByName(ownerId).runReferences({
    limit: readMax(filter) ?? limit,
    after,
    triggerId,
    since,
    until,
  })
  const references = ofFirstTriggers(found.runs, ALL_RUNS_TRIGGERS_MAX)
  const isAll = found.isComplete && references.length === found.runs.length
  const ranges = await readRanges(objects, ownerId, references, { limit, status, search })
  return pageOf(references, ranges, { limit, isAll })
}

/** Returns the number of runs to read from the index; `undefined` if no filter can leave out any. */
function readMax({ status, search }: AllRunsFilter): number | undefined {
  // Each of these runs is read with its input.
  if (search.header || search.param) return RUN_SEARCH_MAX_RUNS
  return status !== undefined || isSearch(search) ? ALL_RUNS_FILTERED_MAX : undefined
}

/** Returns the runs up to the first one of a trigger that exceeds the number of triggers. */
function ofFirstTriggers(runs: readonly RunReference[], max: number): readonly RunReference[] {
  const triggers = new Set<string>()
  const end = runs.findIndex(({ triggerId }) => triggers.add(triggerId).size > max)
  return end < 0 ? runs : runs.slice(0, end)
}

type Ranges = ReadonlyMap<string, RunRange | undefined>

/** The runs of one trigger on a page have consecutive sequence numbers, so one call per trigger reads them. */
async function readRanges(
  { TRIGGER_QUEUE }: Objects,
  ownerId: string,
  references: readonly RunReference[],
  query: { limit: number; status: RunStatus | undefined; search: RunSearch },
): Promise<Ranges> {
  const byTrigger = groupBy(references, ({ triggerId }) => triggerId)
  const entries = [...byTrigger].map(async ([triggerId, runs]) => {
    const [before, from] = [runs[0]!.sequence + 1, runs.at(-1)!.sequence]
    const queue = TRIGGER_QUEUE.getByName(triggerId)
    // A trigger that was just deleted has no runs.
    return [triggerId, await queue.runRange(ownerId, { ...query, before, from })] as const
  })
  return new Map(await Promise.all(entries))
}

function pageOf(
  references: readonly RunReference[],
  ranges: Ranges,
  { limit, isAll }: { limit: number; isAll: boolean },
): AllRunsPage {
  const found = new Map<string, RunSummary>()
  // An object that reached a bound has not read the rest of its range. The page ends there, because later runs of
  // other triggers would come before those.
  const ends = new Set<string>()
  for (const [triggerId, range] of ranges) {
    range?.runs.forEach(({ sequence, ...run }) => found.set(`${triggerId} ${sequence}`, run))
    if (typeof range?.last === 'number') ends.add(`${triggerId} ${range.last}`)
  }
  const runs: AllRunsPage['runs'] = []
  for (const [at, reference] of references.entries()) {
    const key = `${reference.triggerId} ${reference.sequence}`
    const run = found.get(key)
    if (run) runs.push({ ...run, triggerId: reference.triggerId })
    const isLast = at === references.length - 1
    if (isLast || runs.length === limit || ends.has(key))
      return { runs, next: isLast && isAll ? undefined : reference }
  }
  return { runs, next: undefined }
}
