import { DAY_MS, HOUR_MS } from '../../shared/durations.ts'
import { INCIDENTS_MAX } from '../../shared/limits.ts'
import type { AlertSignal, IncidentRecord, IncidentsQuery } from '../../shared/wire/alert.ts'
import type { IncidentReport, SignalReport, SubjectReport } from '../reports/report.ts'

/**
 * An incident of failed runs is resolved when no run has failed for this time. The success of a run is not reported, so
 * it cannot resolve the incident.
 */
export const FAILURES_QUIET_MS = 6 * HOUR_MS

/** Times after which incidents are resolved if they get no further reports. */
const QUIET_MS = [
  ['run_failed', FAILURES_QUIET_MS],
  // A rate that stays high is reported every few minutes.
  ['failure_rate', HOUR_MS],
  ['queue_share', 6 * HOUR_MS],
  ['schedule_late', 6 * HOUR_MS],
  // A chain that lags is reported twice an hour.
  ['chain_lagging', 2 * HOUR_MS],
  // A change has no end, so its incident stays open for a day.
  ['evidence_changed', DAY_MS],
] as const satisfies [AlertSignal, number][]

/** SQL for the time at which an open incident is resolved. Null for signals whose end is always reported. */
const QUIET_AT = `last_at + CASE signal ${QUIET_MS.map(([signal, ms]) => `WHEN '${signal}' THEN ${ms}`).join(' ')} END`

/** Prefix of subjects in the column `trigger_id`. IDs of triggers do not contain it. */
const SUBJECT_MARK = ':'

const RETENTION_MS = 90 * DAY_MS

type Row = {
  id: number
  trigger_id: string
  trigger_name: string
  signal: AlertSignal
  opened_at: number
  last_at: number
  resolved_at: number | null
  count: number
  first_run: string | null
  last_run: string | null
  code: string | null
  message: string | null
  shared_hash: string
}

type NamedTrigger = { id: string; name: string }

type Source = Pick<Row, 'trigger_id' | 'trigger_name'>

type SharedIncident = Pick<Row, 'id' | 'trigger_id' | 'signal' | 'shared_hash'>

/** An event of a signal, from a report. */
type Occurrence = Source &
  Pick<Row, 'signal' | 'code' | 'message'> & { run: string | null; sharedHash?: string }

export type OpenedIncident = Pick<Row, 'id' | 'trigger_id' | 'signal'>

/** A lasting problem that concerns one or more triggers, such as the expiry of a usage key that they share. */
export type SharedProblem = {
  /** Hash of the usage key or account. */
  hash: string
  triggers: readonly [NamedTrigger, ...NamedTrigger[]]
  code: string
  message: string
}

/**
 * Incidents of a user. A trigger or another subject has at most one open incident per signal, and so has a usage key or
 * account that triggers share.
 */
export class Incidents {
  readonly #sql: SqlStorage

  constructor(sql: SqlStorage) {
    this.#sql = sql
  }

  /** @returns the incident that the report opened; undefined if it belongs to an open incident or resolves one */
  record(
    trigger: { id: string; name: string },
    report: IncidentReport,
    now: number,
  ): OpenedIncident | undefined {
    const of = { trigger_id: trigger.id, trigger_name: trigger.name }
    if (report.kind === 'run_failed') {
      const { suffix: run, error } = report
      const { code, message } = error
      return this.#touch({ ...of, signal: 'run_failed', run, code, message }, now)
    }
    return this.#recordState(of, report, now)
  }

  /** @returns the incident that the report opened */
  recordSubject(report: SubjectReport, now: number): OpenedIncident | undefined {
    const of = { trigger_id: `${SUBJECT_MARK}${report.subject}`, trigger_name: '' }
    return this.#recordState(of, report, now)
  }

  /**
   * Opens an incident for each problem that has none, updates the open incidents of the others, and resolves those of
   * problems that are over. The incident of a problem belongs to one of its triggers.
   * @returns the opened incidents, and the number of resolved ones
   */
  recordShared(
    signal: AlertSignal,
    problems: readonly SharedProblem[],
    now: number,
  ): { opened: (OpenedIncident & Pick<SharedProblem, 'triggers'>)[]; resolved: number } {
    const open = this.#openShared(signal)
    const byHash = new Map(open.map((row) => [row.shared_hash, row]))
    const byTrigger = new Map(
      // Incidents that were opened before hashes were stored.
      open.filter((row) => row.shared_hash === '').map((row) => [row.trigger_id, row]),
    )
    const kept = new Set<number>()
    const opened = []
    for (const { hash, triggers, code, message } of problems) {
      const known =
        byHash.get(hash) ?? triggers.map(({ id }) => byTrigger.get(id)).find((row) => row)
      const owner = triggers.find(({ id }) => id === known?.trigger_id) ?? triggers[0]
      if (known && !kept.has(known.id)) {
        kept.add(known.id)
        this.#updateShared(known.id, { hash, owner, code, message }, now)
        continue
      }
      const of = { trigger_id: owner.id, trigger_name: owner.name, sharedHash: hash }
      const incident = this.#touch({ ...of, signal, run: null, code, message }, now)
      if (incident) opened.push({ ...incident, triggers })
    }
    const over = open.filter(({ id }) => !kept.has(id))
    for (const { id } of over)
      this.#sql.exec('UPDATE incidents SET resolved_at = ? WHERE id = ?', now, id)
    return { opened, resolved: over.length }
  }

  /**
   * Gives the trigger's open incidents about shared keys and accounts to other triggers that use them, so that the
   * incidents outlive the trigger.
   */
  handOverShared(
    triggerId: string,
    otherTrigger: (signal: AlertSignal, hash: string) => NamedTrigger | undefined,
  ): void {
    const rows = this.#sql
      .exec<SharedIncident>(
        `SELECT id, trigger_id, signal, shared_hash FROM incidents
         WHERE trigger_id = ? AND shared_hash <> '' AND resolved_at IS NULL`,
        triggerId,
      )
      .toArray()
    for (const { id, signal, shared_hash } of rows) {
      const other = otherTrigger(signal, shared_hash)
      if (!other) continue
      const query = 'UPDATE incidents SET trigger_id = ?, trigger_name = ? WHERE id = ?'
      this.#sql.exec(query, other.id, other.name, id)
    }
  }

  list({ limit, cursor, state, trigger_id }: IncidentsQuery): Row[] {
    const conditions = [
      ...(cursor === undefined ? [] : ['id < ?']),
      ...(state === undefined ? [] : [`resolved_at IS ${state === 'open' ? '' : 'NOT '}NULL`]),
      ...(trigger_id === undefined ? [] : ['trigger_id = ?']),
    ]
    const where = conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : ''
    const values = [cursor, trigger_id].filter((value) => value !== undefined)
    return this.#sql
      .exec<Row>(`SELECT * FROM incidents ${where} ORDER BY id DESC LIMIT ?`, ...values, limit)
      .toArray()
  }

  /** Deleted triggers have no incidents, so fewer than requested may be returned. */
  byIds(ids: readonly number[]): Row[] {
    return this.#sql
      .exec<Row>(
        'SELECT * FROM incidents WHERE id IN (SELECT value FROM json_each(?)) ORDER BY id',
        JSON.stringify(ids),
      )
      .toArray()
  }

  forget(triggerId: string): void {
    this.#sql.exec('DELETE FROM incidents WHERE trigger_id = ?', triggerId)
  }

  /** Resolves quiet incidents, and deletes old ones. @returns the time of the next call */
  runDue(now: number): number | undefined {
    this.#sql.exec(
      `UPDATE incidents SET resolved_at = ?1 WHERE resolved_at IS NULL AND ${QUIET_AT} <= ?1`,
      now,
    )
    this.#sql.exec(
      `DELETE FROM incidents WHERE resolved_at <= ? OR id <= (SELECT max(id) FROM incidents) - ?`,
      now - RETENTION_MS,
      INCIDENTS_MAX,
    )
    const { quiet, old } = this.#sql
      .exec<{ quiet: number | null; old: number | null }>(
        `SELECT min(iif(resolved_at IS NULL, ${QUIET_AT}, NULL)) AS quiet, min(resolved_at) AS old
         FROM incidents`,
      )
      .one()
    const times = [
      ...(quiet === null ? [] : [quiet]),
      ...(old === null ? [] : [old + RETENTION_MS]),
    ]
    return times.length > 0 ? Math.max(now + HOUR_MS / 60, Math.min(...times)) : undefined
  }

  #recordState(
    of: Source,
    { signal, state, code, message }: SignalReport | SubjectReport,
    now: number,
  ): OpenedIncident | undefined {
    if (state === 'open') return this.#touch({ ...of, signal, run: null, code, message }, now)
    this.#resolve(of.trigger_id, signal, now)
    return undefined
  }

  #touch({ run, sharedHash = '', ...of }: Occurrence, now: number): OpenedIncident | undefined {
    const known = this.#sql.exec(
      `UPDATE incidents SET count = count + 1, last_at = ?, last_run = ?, code = ?, message = ?, trigger_name = ?
       WHERE trigger_id = ? AND signal = ? AND shared_hash = ? AND resolved_at IS NULL RETURNING id`,
      now,
      run,
      of.code,
      of.message,
      of.trigger_name,
      of.trigger_id,
      of.signal,
      sharedHash,
    )
    if (known.toArray().length > 0) return undefined
    const { id } = this.#sql
      .exec<{ id: number }>(
        `INSERT INTO incidents (trigger_id, trigger_name, signal, opened_at, last_at, count, first_run, last_run, code, message,
           shared_hash)
         VALUES (?1, ?2, ?3, ?4, ?4, 1, ?5, ?5, ?6, ?7, ?8) RETURNING id`,
        of.trigger_id,
        of.trigger_name,
        of.signal,
        now,
        run,
        of.code,
        of.message,
        sharedHash,
      )
      .one()
    return { id, trigger_id: of.trigger_id, signal: of.signal }
  }

  #openShared(signal: AlertSignal): SharedIncident[] {
    const query =
      'SELECT id, trigger_id, signal, shared_hash FROM incidents WHERE signal = ? AND resolved_at IS NULL'
    return this.#sql.exec<SharedIncident>(query, signal).toArray()
  }

  #updateShared(
    id: number,
    { hash, owner, code, message }: Omit<SharedProblem, 'triggers'> & { owner: NamedTrigger },
    now: number,
  ): void {
    this.#sql.exec(
      `UPDATE incidents SET last_at = ?, code = ?, message = ?, trigger_id = ?, trigger_name = ?, shared_hash = ? WHERE id = ?`,
      now,
      code,
      message,
      owner.id,
      owner.name,
      hash,
      id,
    )
  }

  #resolve(triggerId: string, signal: AlertSignal, now: number): void {
    this.#sql.exec(
      'UPDATE incidents SET resolved_at = ? WHERE trigger_id = ? AND signal = ? AND resolved_at IS NULL',
      now,
      triggerId,
      signal,
    )
  }
}

export function toIncidentRecord(row: Row): IncidentRecord {
  const { id, trigger_id, trigger_name, signal, count, code, message } = row
  const hasTrigger = !trigger_id.startsWith(SUBJECT_MARK)
  const runId = (suffix: string | null) => (suffix === null ? null : trigger_id + suffix)
  return {
    id,
    trigger_id: hasTrigger ? trigger_id : null,
    trigger_name: hasTrigger ? trigger_name : null,
    subject: hasTrigger ? null : trigger_id.slice(SUBJECT_MARK.length),
    signal,
    state: row.resolved_at === null ? 'open' : 'resolved',
    opened_at: isoTime(row.opened_at),
    last_at: isoTime(row.last_at),
    resolved_at: row.resolved_at === null ? null : isoTime(row.resolved_at),
    count,
    first_run_id: runId(row.first_run),
    last_run_id: runId(row.last_run),
    code,
    message,
  }
}

export const isoTime = (at: number) => new Date(at).toISOString()
