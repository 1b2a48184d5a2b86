import { DurableObject } from 'cloudflare:workers'
import { drizzle } from 'drizzle-orm/d1'
import { SCAN_INTERVAL_MS } from '../../shared/limits.ts'
import { wakeWatchers } from '../chain/watch/wake-watchers.ts'
import { causeOf } from '../db/cause-of.ts'
import * as schema from '../db/schema.ts'
import type { Env } from '../env.ts'
import type { LogFacts } from '../../shared/service-log/line.ts'
import { logEvent } from '../log.ts'
import { sleep } from '../sleep.ts'
import { scan, type Scanned } from './scan.ts'
import { ScannedRows } from './scanned-rows.ts'

/** Scans are at 5 s and 35 s of every minute: most ticks are at its beginning or in its middle. */
const AFTER_COMMON_TICKS_MS = 5_000

/** Under it the last scan is kept. */
const LAST_SCAN = 'last_scan'

export type ScanStatus = Scanned & {
  /** Unix milliseconds; undefined before the first. */
  endedAt: number | undefined
}

/**
 * The scanner (specification, Events): every 30 s it looks after the schedules whose own alarms should have fired, and
 * after the watchers of chains. One object; it keeps its alarm, and what its last scan found.
 */
export class Scheduler extends DurableObject<Env> {
  isScanning = false

  /** The last scan that came to its end; it outlives this object's rest. */
  async status(): Promise<ScanStatus> {
    const last = await this.ctx.storage.get<ScanStatus>(LAST_SCAN)
    return last ?? { endedAt: undefined, due: 0, unanswered: 0 }
  }

  /** Sets the alarm where there is none, or where a clock that jumped has left it out of reach. */
  async wake(): Promise<void> {
    const now = Date.now()
    const at = await this.ctx.storage.getAlarm()
    const isGoing = at !== null && Math.abs(at - now) <= SCAN_INTERVAL_MS
    if (!isGoing) await this.ctx.storage.setAlarm(nextScanAt(now))
  }

  override async alarm(): Promise<void> {
    // Before anything that can fail. Should this fail itself, then the platform tries this alarm again.
    await this.ctx.storage.setAlarm(nextScanAt(Date.now()))
    if (this.isScanning) return
    this.isScanning = true
    this.ctx.waitUntil(wakeWatchers(this.env))
    this.ctx.waitUntil(this.#scan().finally(() => (this.isScanning = false)))
  }

  async #scan(): Promise<void> {
    const log = (event: string, facts: LogFacts) => logEvent(this.env, event, facts)
    try {
      const scanned = await scan({
        rows: new ScannedRows(drizzle(this.env.DB, { schema })),
        visit: (id, version) => this.env.TRIGGER_QUEUE.getByName(id).visit(version),
        now: Date.now,
        sleep,
        log,
      })
      const status: ScanStatus = { endedAt: Date.now(), ...scanned }
      await this.ctx.storage.put(LAST_SCAN, status)
    } catch (error) {
      log('scan.broken', { reason: causeOf(error) })
    }
  }
}

/** The first time after now that a scan is at. */
export function nextScanAt(now: number): number {
  const scans = Math.floor((now - AFTER_COMMON_TICKS_MS) / SCAN_INTERVAL_MS)
  return (scans + 1) * SCAN_INTERVAL_MS + AFTER_COMMON_TICKS_MS
}
