import { causeOf } from '../db/cause-of.ts'
import type { IndexedTrigger, Looked, ScannedRows } from './scanned-rows.ts'

/** A trigger object's response to the scanner: the version of its record, and its next tick. */
export type Visited = { version: number; nextTickAt: number | null }

export type ScanOptions = {
  rows: Pick<ScannedRows, 'due' | 'unchecked' | 'note'>
  /**
   * Visits a trigger's object.
   * @param version the version in the index
   * @returns `undefined` if there is no such trigger
   */
  visit: (id: string, version: number) => Promise<Visited | undefined>
  now: () => number
  /** Resolves after this time, or when `ended` is aborted. */
  sleep: (ms: number, ended: AbortSignal) => Promise<void>
  log: (event: string, facts: Record<string, string | number>) => void
}

/** The result of a scan: schedules with a tick that had not fired, and objects that did not respond. */
export type Scanned = { due: number; unanswered: number }

/** For this long after a tick, its object is expected to fire it on its own. */
const OWN_MS = 2_000
/** The time limit of a scan, so that it does not overlap the next one. The next scan starts with what is left. */
const SCAN_MS = 20_000
/** The timeout of a visit. The object is visited again in the next scan. */
const VISIT_MS = 5_000
const VISITS_AT_ONCE = 32
/** Rows per page, and per statement. */
const PAGE = 500
/** How many rows a scan compares in addition to those that are due: 140,000 a day, at 1 % of an object's load. */
const COMPARED = 50
/** The maximum age of a comparison. */
const COMPARED_AGAIN_MS = 24 * 60 * 60 * 1000

/**
 * Runs one scan. First it visits the schedules with overdue ticks, which re-arms a lost alarm and fires the ticks. Then
 * it compares a few rows of any kind with their objects, which repairs the index after any failure
 * (`docs/decisions/0019`). A failed visit does not affect the others.
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

/** @returns the number of objects that did not respond */
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
  // Placed behind the rows that are still waiting, so that failing objects do not block the others.
  return { found: { row, lookAt: row.lookAt === null ? null : now() }, answered: false }
}
