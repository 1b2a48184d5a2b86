import { causeOf } from '../db/cause-of.ts'
import type { IndexedTrigger, Looked, ScannedRows } from './scanned-rows.ts'

/** What a trigger's object says of itself when the scanner looks: its record's version, and its next tick. */
export type Visited = { version: number; nextTickAt: number | null }

export type ScanOptions = {
  rows: Pick<ScannedRows, 'due' | 'unchecked' | 'note'>
  /** @param version what the index has of it @returns `undefined` where there is no such trigger */
  visit: (id: string, version: number) => Promise<Visited | undefined>
  now: () => number
  /** Returns after this time, or once `ended` says that nobody waits any more. */
  sleep: (ms: number, ended: AbortSignal) => Promise<void>
  log: (event: string, facts: Record<string, string | number>) => void
}

/** What a scan found: schedules whose tick had not fired, and triggers whose object did not answer. */
export type Scanned = { due: number; unanswered: number }

/** A tick is the object's own to fire for this long. */
const OWN_MS = 2_000
/** A scan ends by then, so that the next one finds nothing in its way; what it left is what the next one begins with. */
const SCAN_MS = 20_000
/** An object that does not answer is left for the next scan. */
const VISIT_MS = 5_000
const VISITS_AT_ONCE = 32
/** Rows of one page, and of one statement. */
const PAGE = 500
/** How many rows one scan compares beyond those that are due: 140,000 a day, at a hundredth of an object's load. */
const COMPARED = 50
/** How old a comparison may become. */
const COMPARED_AGAIN_MS = 24 * 60 * 60 * 1000

/**
 * One scan. First the schedules whose ticks should have fired: each object is visited, which is what re-arms and
 * catches up one whose alarm was lost. Then a few rows of any kind are compared with their objects, so that the index
 * heals whatever happened to it (`decisions.md`, Truth). No visit can harm another.
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

/** @returns how many objects did not answer */
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
  // Behind those that still wait, so that objects which fail do not keep the scanner from the others.
  return { found: { row, lookAt: row.lookAt === null ? null : now() }, answered: false }
}
