import { causeOf } from '../db/cause-of.ts'
import type { IndexedTrigger, Looked, ScannedRows } from './scanned-rows.ts'

/**
 * Response of a trigger's Durable Object to the scanner: the version of the trigger's record, and the time of its next
 * tick in Unix milliseconds. The time is null if there is no next tick.
 */
export type Visited = { version: number; nextTickAt: number | null }

export type ScanOptions = {
  rows: Pick<ScannedRows, 'due' | 'unchecked' | 'note'>
  /**
   * Calls the Durable Object of a trigger.
   * @param version version of the trigger's row in the index
   * @returns undefined if the trigger does not exist
   */
  visit: (id: string, version: number) => Promise<Visited | undefined>
  now: () => number
  /** Resolves after `ms` milliseconds, or early when `ended` is aborted. */
  sleep: (ms: number, ended: AbortSignal) => Promise<void>
  log: (event: string, facts: Record<string, string | number>) => void
}

/**
 * Result of a scan: the number of schedules with an overdue tick, and the number of Durable Objects that did not
 * respond.
 */
export type Scanned = { due: number; unanswered: number }

/** Grace period after a tick, in which the trigger's own alarm is expected to fire it. */
const OWN_MS = 2_000
/** Time limit of a scan, so that it does not overlap the next one. The next scan starts with the remaining rows. */
const SCAN_MS = 20_000
/** Timeout of a call to a trigger's Durable Object. The next scan calls the object again. */
const VISIT_MS = 5_000
const VISITS_AT_ONCE = 32
/** Number of index rows that are read per page and updated per statement. */
const PAGE = 500
/**
 * Number of rows that a scan compares with their Durable Objects, in addition to overdue schedules. This adds up to
 * 140,000 rows a day, and takes 1 % of an object's capacity.
 */
const COMPARED = 50
/** Time after which an index row is compared with its Durable Object again. */
const COMPARED_AGAIN_MS = 24 * 60 * 60 * 1000

/**
 * Runs one scan. It first calls the Durable Objects of schedules with overdue ticks, which restores lost alarms and
 * fires the ticks. It then compares a few index rows of any kind with their objects, which repairs the index after
 * failures (`docs/decisions/0019`). A failed call does not affect the others.
 */
export async function scan(options: ScanOptions): Promise<Scanned> {
  const { rows, now } = options
  const began = now()
  const until = began + SCAN_MS
  const scanned: Scanned = { due: 0, unanswered: 0 }
  let last: IndexedTrigger | undefined
  do {
    const page = await rows.due(began - OWN_MS, PAGE, last)
    scanned.due += page.length
    scanned.unanswered += await look(options, page, until)
    last = page.length === PAGE ? page.at(-1) : undefined
  } while (last && now() < until)
  if (now() >= until) return scanned
  const unchecked = await rows.unchecked(began - COMPARED_AGAIN_MS, COMPARED)
  scanned.unanswered += await look(options, unchecked, until)
  return scanned
}

/**
 * Calls the Durable Objects of a page of rows, and stores the results in the index.
 * @returns number of objects that did not respond
 */
async function look(
  options: ScanOptions,
  page: readonly IndexedTrigger[],
  until: number,
): Promise<number> {
  const { rows, now } = options
  let unanswered = 0
  const looked: Looked[] = []
  const waiting = page.values()
  const visitor = async () => {
    for (const row of waiting) {
      if (now() >= until) return
      const { found, answered } = await lookAt(options, row)
      looked.push(found)
      if (!answered) unanswered++
    }
  }
  await Promise.all(Array.from({ length: VISITS_AT_ONCE }, visitor))
  await rows.note(looked, now())
  return unanswered
}

async function lookAt(
  options: ScanOptions,
  row: IndexedTrigger,
): Promise<{ found: Looked; answered: boolean }> {
  const { visit, now, sleep, log } = options
  const ended = new AbortController()
  try {
    const silent = sleep(VISIT_MS, ended.signal).then(() => 'silent' as const)
    const visited = await Promise.race([visit(row.id, row.version), silent])
    if (visited === undefined) return { found: { row, gone: true }, answered: true }
    if (visited !== 'silent') return { found: { row, lookAt: visited.nextTickAt }, answered: true }
    log('scan.silent', { trigger: row.id })
  } catch (error) {
    log('scan.failed', { trigger: row.id, error: causeOf(error) })
  } finally {
    ended.abort()
  }
  // Moves the row behind the waiting ones, so that failing objects do not block the others.
  return { found: { row, lookAt: row.lookAt === null ? null : now() }, answered: false }
}
