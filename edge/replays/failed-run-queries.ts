import { REPLAY_RUNS_MAX } from '../../shared/limits.ts'

type Sql = Pick<SqlStorage, 'exec'>

/** Times are in Unix milliseconds. */
export type FailedRunFilter = {
  trigger_id?: string | undefined
  fingerprint?: string | undefined
  /** Inclusive lower bound of the time of failure. */
  since?: number | undefined
  /** Exclusive upper bound of the time of failure. */
  until?: number | undefined
  replayed?: boolean | undefined
}

/** Position of the last failed run on a page, as its time of failure and its row ID. */
export type FailedRunPosition = [failedAt: number, id: number]

/** Position of the last error group on a page. */
export type ErrorGroupPosition = [lastFailedAt: number, fingerprint: string]

export type StoredFailedRun = {
  id: number
  triggerId: string
  suffix: string
  queuedAt: number
  finishedAt: number
  attempt: number
  code: string
  message: string
  frame: string | null
  fingerprint: string
  /** ID of the bulk replay that includes the run. */
  replayId: string | null
  /** Suffix of the new run, if the run was replayed individually. */
  replaySuffix: string | null
}

export type StoredErrorGroup = {
  fingerprint: string
  count: number
  replayed: number
  firstFailedAt: number
  lastFailedAt: number
  triggerIds: string[]
  example: Pick<StoredFailedRun, 'triggerId' | 'suffix' | 'code' | 'message' | 'frame'>
}

export type SelectedRun = { id: number; triggerId: string; suffix: string; isReplayed: boolean }

const IS_REPLAYED = '(replay_id IS NOT NULL OR replay_suffix IS NOT NULL)'

const GROUP_TRIGGERS_MAX = 100

/** Reads a page of failed runs, latest failure first. */
export function readFailedRuns(
  sql: Sql,
  filter: FailedRunFilter,
  { limit, after }: { limit: number; after?: FailedRunPosition | undefined },
): { runs: StoredFailedRun[]; next: FailedRunPosition | undefined } {
  const { where, values } = conditionsOf(filter)
  const [failedAt, lastId] = after ?? [Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER]
  const rows = sql
    .exec<StoredFailedRun>(
      `SELECT id, trigger_id AS triggerId, suffix, queued_at AS queuedAt, finished_at AS finishedAt, attempt, code,
         message, frame, fingerprint, replay_id AS replayId, replay_suffix AS replaySuffix
       FROM failed_runs WHERE ${where} AND (finished_at, id) < (?, ?)
       ORDER BY finished_at DESC, id DESC LIMIT ?`,
      ...values,
      failedAt,
      lastId,
      limit + 1,
    )
    .toArray()
  const runs = rows.slice(0, limit)
  const last = runs.at(-1)
  return { runs, next: last && rows.length > limit ? [last.finishedAt, last.id] : undefined }
}

/** Reads a page of error groups, latest failure first. */
export function readErrorGroups(
  sql: Sql,
  filter: Omit<FailedRunFilter, 'fingerprint' | 'replayed'>,
  { limit, after }: { limit: number; after?: ErrorGroupPosition | undefined },
): { groups: StoredErrorGroup[]; next: ErrorGroupPosition | undefined } {
  const { where, values } = conditionsOf(filter)
  const [failedAt, lastFingerprint] = after ?? [Number.MAX_SAFE_INTEGER, '']
  const rows = sql
    .exec<Omit<StoredErrorGroup, 'triggerIds' | 'example'>>(
      `SELECT fingerprint, count(*) AS count, sum(${IS_REPLAYED}) AS replayed, min(finished_at) AS firstFailedAt,
         max(finished_at) AS lastFailedAt
       FROM failed_runs WHERE ${where} GROUP BY fingerprint
       HAVING max(finished_at) < ? OR (max(finished_at) = ? AND fingerprint > ?)
       ORDER BY max(finished_at) DESC, fingerprint LIMIT ?`,
      ...values,
      failedAt,
      failedAt,
      lastFingerprint,
      limit + 1,
    )
    .toArray()
  const groups = rows.slice(0, limit).map((group) => ({
    ...group,
    triggerIds: triggersOf(sql, { ...filter, fingerprint: group.fingerprint }),
    example: readFailedRuns(sql, { ...filter, fingerprint: group.fingerprint }, { limit: 1 })
      .runs[0]!,
  }))
  const last = groups.at(-1)
  return {
    groups,
    next: last && rows.length > limit ? [last.lastFailedAt, last.fingerprint] : undefined,
  }
}

function triggersOf(sql: Sql, filter: FailedRunFilter): string[] {
  const { where, values } = conditionsOf(filter)
  const rows = sql.exec<{ triggerId: string }>(
    `SELECT DISTINCT trigger_id AS triggerId FROM failed_runs WHERE ${where} LIMIT ${GROUP_TRIGGERS_MAX}`,
    ...values,
  )
  return [...rows].map(({ triggerId }) => triggerId)
}

/** Selects runs for a bulk replay, oldest failure first, and one more than the maximum of a replay. */
export function selectFailedRuns(
  sql: Sql,
  filter: FailedRunFilter,
): Omit<SelectedRun, 'isReplayed'>[] {
  const { where, values } = conditionsOf(filter)
  return sql
    .exec<Omit<SelectedRun, 'isReplayed'>>(
      `SELECT id, trigger_id AS triggerId, suffix FROM failed_runs WHERE ${where}
       ORDER BY finished_at, id LIMIT ?`,
      ...values,
      REPLAY_RUNS_MAX + 1,
    )
    .toArray()
}

export function countFailedRuns(sql: Sql, filter: FailedRunFilter): number {
  const { where, values } = conditionsOf(filter)
  return sql
    .exec<{ count: number }>(`SELECT count(*) AS count FROM failed_runs WHERE ${where}`, ...values)
    .one().count
}

/** Returns which of the runs were replayed. */
export function replayedAmong(
  sql: Sql,
  triggerId: string,
  suffixes: readonly string[],
): Set<string> {
  const rows = sql.exec<{ suffix: string }>(
    `SELECT suffix FROM failed_runs
     WHERE trigger_id = ? AND suffix IN (SELECT value FROM json_each(?)) AND ${IS_REPLAYED}`,
    triggerId,
    JSON.stringify(suffixes),
  )
  return new Set([...rows].map(({ suffix }) => suffix))
}

function conditionsOf(filter: FailedRunFilter): { where: string; values: (string | number)[] } {
  const given: [string, string | number | undefined][] = [
    ['trigger_id = ?', filter.trigger_id],
    ['fingerprint = ?', filter.fingerprint],
    ['finished_at >= ?', filter.since],
    ['finished_at < ?', filter.until],
  ]
  const used = given.filter((pair): pair is [string, string | number] => pair[1] !== undefined)
  const conditions = used.map(([condition]) => condition)
  if (filter.replayed !== undefined)
    conditions.push(filter.replayed ? IS_REPLAYED : `NOT ${IS_REPLAYED}`)
  return { where: ['1', ...conditions].join(' AND '), values: used.map(([, value]) => value) }
}
