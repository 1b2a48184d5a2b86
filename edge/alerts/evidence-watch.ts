import { HOUR_MS } from '../../shared/durations.ts'
import { isEndPast } from '../deadline.ts'
import type { SubjectReport } from '../reports/report.ts'
import type { OriginIdentity } from '../trust/origin-identity.ts'

/** Subject of incidents about the origin. */
const ORIGIN = 'origin'

const INTERVAL_MS = HOUR_MS

type EvidenceWatchOptions = {
  sql: SqlStorage
  /** True if an alert about a change would be sent. */
  isWanted: () => boolean
  /** @throws {Error} if the origin is not verified */
  identity: () => Promise<OriginIdentity>
  report: (report: SubjectReport) => void
  now: () => number
  armBy: (at: number) => void
}

type Row = { identity: string; checked_at: number }

/**
 * Compares the evidence of the origin with that of the previous check, once an hour. Does nothing unless the user wants
 * alerts about changes.
 */
export class EvidenceWatch {
  readonly #options: EvidenceWatchOptions
  /** Undefined until the settings have been read. */
  #isWanted: boolean | undefined
  #dueAt = 0

  constructor(options: EvidenceWatchOptions) {
    this.#options = options
  }

  /** Called when settings or channels have changed. */
  refresh(): void {
    const { armBy, isWanted, now, sql } = this.#options
    this.#isWanted = isWanted()
    if (this.#isWanted) return armBy(now())
    // Changes while the signal is off must not be reported later.
    sql.exec('DELETE FROM verified_origin')
    this.#dueAt = 0
  }

  /** Starts the check that is due. @returns the time of the next call */
  runDue(now: number, keepAlive: (work: Promise<void>) => void): number | undefined {
    this.#isWanted ??= this.#options.isWanted()
    if (!this.#isWanted) return undefined
    const dueAt = Math.max(this.#dueAt, (this.#row()?.checked_at ?? -INTERVAL_MS) + INTERVAL_MS)
    if (!isEndPast(dueAt, INTERVAL_MS, now)) return dueAt
    this.#dueAt = now + INTERVAL_MS
    keepAlive(this.#check())
    return this.#dueAt
  }

  /** Never throws. If the origin cannot be verified, the next check is an hour later. */
  async #check(): Promise<void> {
    const { identity, now, report, sql } = this.#options
    const current = await identity().catch(() => undefined)
    if (!current || !this.#isWanted) return
    const row = this.#row()
    sql.exec(
      'INSERT OR REPLACE INTO verified_origin (id, identity, checked_at) VALUES (1, ?, ?)',
      JSON.stringify(current),
      now(),
    )
    if (!row) return
    const changes = changesOf(JSON.parse(row.identity) as OriginIdentity, current)
    if (changes.length === 0) return
    const of = { signal: 'evidence_changed', subject: ORIGIN } as const
    // Resolves an earlier incident, because an alert is sent only when an incident opens.
    report({ ...of, state: 'resolved', code: null, message: null })
    const code = changes.map(({ field }) => field).join(',')
    const message = changes
      .map(({ field, was, is }) => `${field} was ${was ?? 'unknown'}, is ${is ?? 'unknown'}.`)
      .join(' ')
    report({ ...of, state: 'open', code, message })
  }

  #row(): Row | undefined {
    return this.#options.sql
      .exec<Row>('SELECT identity, checked_at FROM verified_origin')
      .toArray()[0]
  }
}

/** Ignores fields that an older version of the service did not store. */
function changesOf(was: OriginIdentity, is: OriginIdentity) {
  const fields = Object.keys(is) as (keyof OriginIdentity)[]
  return fields
    .filter((field) => field in was && was[field] !== is[field])
    .map((field) => ({ field, was: was[field], is: is[field] }))
}
