import { DAY_MS } from '../../shared/durations.ts'
import { rootCauseText } from '../db/root-cause-text.ts'
import { type Sleep, withTimeout } from '../sleep.ts'
import type { IndexedTrigger, RowCheck, ScannerIndex } from './scanner-index.ts'

/** Version of the trigger's record, and its next tick in Unix milliseconds, or null if there is none. */
export type VisitResult = { version: number; nextTickAt: number | null }

type ScanOptions = {
  rows: Pick<ScannerIndex, 'due' | 'unchecked' | 'note'>
  /**
   * @param version version of the trigger's row in the index
   * @returns undefined if the trigger does not exist
   */
  visit: (id: string, version: number) => Promise<VisitResult | undefined>
  now: () => number
  sleep: Sleep
  log: (event: string, facts: Record<string, string | number>) => void
}

export type ScanCounts = { due: number; unanswered: number }

const OWN_ALARM_GRACE_MS = 2_000
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
 * Calls the Durable Objects of schedules with overdue ticks, which restores lost alarms and fires the ticks. Then
 * compares a few index rows of any kind with their objects, which repairs the index after failures
 * (`docs/decisions/0019`). A failed call does not affect the others.
 */
export async function scan(options: ScanOptions): Promise<ScanCounts> {
  const { rows, now } = options
  const began = now()
  const until = began + SCAN_MS
  const counts: ScanCounts = { due: 0, unanswered: 0 }
  let last: IndexedTrigger | undefined
  do {
    const page = await rows.due(began - OWN_ALARM_GRACE_MS, PAGE, last)
    counts.due += page.length
    counts.unanswered += await visitAll(options, page, until)
    last = page.length === PAGE ? page.at(-1) : undefined
  } while (last && now() < until)
  if (now() >= until) return counts
  const unchecked = await rows.unchecked(began - COMPARE_INTERVAL_MS, COMPARED_PER_SCAN)
  counts.unanswered += await visitAll(options, unchecked, until)
  return counts
}

/** Returns the number of objects that did not respond. */
async function visitAll(
  options: ScanOptions,
  page: readonly IndexedTrigger[],
  until: number,
): Promise<number> {
  const { rows, now } = options
  let unanswered = 0
  const checks: RowCheck[] = []
  const waiting = page.values()
  const visitor = async () => {
    for (const row of waiting) {
      if (now() >= until) return
      const { found, answered } = await visitTrigger(options, row)
      checks.push(found)
      if (!answered) unanswered++
    }
  }
  await Promise.all(Array.from({ length: VISITS_AT_ONCE }, visitor))
  await rows.note(checks, now())
  return unanswered
}

async function visitTrigger(
  options: ScanOptions,
  row: IndexedTrigger,
): Promise<{ found: RowCheck; answered: boolean }> {
  const { visit, now, sleep, log } = options
  try {
    const visited = visit(row.id, row.version).then((result) => ({ result }))
    const answer = await withTimeout(visited, VISIT_MS, sleep)
    if (answer) {
      const { result } = answer
      const found = result ? { row, lookAt: result.nextTickAt } : { row, gone: true as const }
      return { found, answered: true }
    }
    log('scan.silent', { trigger: row.id })
  } catch (error) {
    log('scan.failed', { trigger: row.id, error: rootCauseText(error) })
  }
  // Moves the row behind the waiting rows, so that failing objects do not block the others.
  return { found: { row, lookAt: row.lookAt === null ? null : now() }, answered: false }
}
