import { DAY_MS } from '../../shared/durations.ts'
import { rootCauseText } from '../db/root-cause-text.ts'
import { type Sleep, withTimeout } from '../sleep.ts'
import { TICK_LATE_MS } from '../../shared/limits.ts'
import type { IndexedTrigger, RowCheck, ScannerIndex, TickReport } from './scanner-index.ts'

/**
 * Version of the trigger's record, and its next tick in Unix milliseconds, or null if there is none. `late` is true if
 * the visit found a tick that should have fired.
 */
export type VisitResult = { version: number; nextTickAt: number | null; late: boolean }

type ScanOptions = {
  rows: Pick<ScannerIndex, 'due' | 'unchecked' | 'note' | 'recordTicks'>
  /** Takes the reports of the ticks that have fired since the last scan. */
  reports: () => Promise<TickReport[]>
  /**
   * @param version version of the trigger's row in the index
   * @returns undefined if the trigger does not exist
   */
  visit: (id: string, version: number) => Promise<VisitResult | undefined>
  now: () => number
  sleep: Sleep
  log: (event: string, facts: Record<string, string | number>) => void
}

/** `late` is the number of schedules with a tick that should have fired. */
export type ScanCounts = { late: number; unanswered: number }

/**
 * Maximum duration of a scan, so that it does not overlap the next scan. The next scan starts with the remaining rows.
 */
const SCAN_MS = 20_000
/** The next scan calls the object again. */
const VISIT_MS = 5_000
const VISITS_AT_ONCE = 32
/** Index rows per page and per update statement. */
const PAGE = 500
/**
 * Number of rows that a scan compares with their Durable Objects, in addition to overdue schedules. This allows 140,000
 * rows a day, and uses 1 % of an object's capacity.
 */
const COMPARED_PER_SCAN = 50
const COMPARE_INTERVAL_MS = DAY_MS

/**
 * Calls the Durable Objects of schedules that have not reported a tick that was due, which restores lost alarms and
 * fires the ticks. Then compares a few index rows of any kind with their objects, which repairs the index after failures
 * (`docs/decisions/0019`). A failed call does not affect the others.
 */
export async function scan(options: ScanOptions): Promise<ScanCounts> {
  const { rows, reports, now } = options
  const began = now()
  const until = began + SCAN_MS
  const reported = await reports()
  for (let at = 0; at < reported.length; at += PAGE)
    await rows.recordTicks(reported.slice(at, at + PAGE))
  const counts: ScanCounts = { late: 0, unanswered: 0 }
  let last: IndexedTrigger | undefined
  do {
    const page = await rows.due(began - TICK_LATE_MS, PAGE, last)
    await visitAll(options, page, until, counts)
    last = page.length === PAGE ? page.at(-1) : undefined
  } while (last && now() < until)
  if (now() >= until) return counts
  const unchecked = await rows.unchecked(began - COMPARE_INTERVAL_MS, COMPARED_PER_SCAN)
  await visitAll(options, unchecked, until, counts)
  return counts
}

async function visitAll(
  options: ScanOptions,
  page: readonly IndexedTrigger[],
  until: number,
  counts: ScanCounts,
): Promise<void> {
  const { rows, now } = options
  const checks: RowCheck[] = []
  const waiting = page.values()
  const visitor = async () => {
    for (const row of waiting) {
      if (now() >= until) return
      const { found, answered, late } = await visitTrigger(options, row)
      checks.push(found)
      if (!answered) counts.unanswered++
      if (late) counts.late++
    }
  }
  await Promise.all(Array.from({ length: VISITS_AT_ONCE }, visitor))
  await rows.note(checks, now())
}

async function visitTrigger(
  options: ScanOptions,
  row: IndexedTrigger,
): Promise<{ found: RowCheck; answered: boolean; late: boolean }> {
  const { visit, now, sleep, log } = options
  try {
    const visited = visit(row.id, row.version).then((result) => ({ result }))
    const answer = await withTimeout(visited, VISIT_MS, sleep)
    if (answer) {
      const { result } = answer
      if (!result) log('scan.orphan', { trigger: row.id })
      const found = result ? { row, lookAt: result.nextTickAt } : { row, gone: true as const }
      return { found, answered: true, late: result?.late === true }
    }
    log('scan.silent', { trigger: row.id })
  } catch (error) {
    log('scan.failed', { trigger: row.id, error: rootCauseText(error) })
  }
  // Moves the row behind the waiting rows, so that failing objects do not block the others.
  return {
    found: { row, lookAt: row.lookAt === null ? null : now() },
    answered: false,
    late: false,
  }
}
