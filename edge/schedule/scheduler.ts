import { DurableObject } from 'cloudflare:workers'
import { drizzle } from 'drizzle-orm/d1'
import { SCAN_INTERVAL_MS } from '../../shared/limits.ts'
import { wakeWatchers } from '../chain/watch/wake-watchers.ts'
import { rootCauseText } from '../db/root-cause-text.ts'
import { isAlarmLost } from '../deadline.ts'
import * as schema from '../db/schema.ts'
import type { Env } from '../env.ts'
import type { LogFields } from '../../shared/service-log/line.ts'
import { logEvent } from '../log.ts'
import { sleep } from '../sleep.ts'
import { scan } from './scan.ts'
import { ScannerIndex, type TickReport } from './scanner-index.ts'
import type { ScanStatus, SchedulerObject } from './scheduler-object.ts'
import { takeTickReports } from './tick-reports.ts'

/** Most ticks are due at the full and half minute, so scans start at second 5 and 35. */
const AFTER_COMMON_TICKS_MS = 5_000

const LAST_SCAN = 'last_scan'

/** Bounds the memory of a collector while no scanner takes its reports: about 20 MB. */
const REPORTS_MAX = 100_000

/**
 * Scans for schedules with late ticks and wakes the chain watchers, every 30 s. One object of this class is the
 * scanner, and the others collect reports of ticks for it (`tick-reports.ts`).
 */
export class Scheduler extends DurableObject<Env> implements SchedulerObject {
  isScanning = false
  reports = new Map<string, TickReport>()

  async status(): Promise<ScanStatus> {
    const last = await this.ctx.storage.get<ScanStatus>(LAST_SCAN)
    return { endedAt: undefined, late: 0, unanswered: 0, ...last }
  }

  async reportTick(report: TickReport): Promise<void> {
    if (this.reports.size < REPORTS_MAX || this.reports.has(report.id))
      this.reports.set(report.id, report)
  }

  async takeTickReports(): Promise<TickReport[]> {
    const reports = [...this.reports.values()]
    this.reports = new Map()
    return reports
  }

  async wake(): Promise<void> {
    const now = Date.now()
    const at = await this.ctx.storage.getAlarm()
    if (isAlarmLost(at, now, now + SCAN_INTERVAL_MS, SCAN_INTERVAL_MS))
      await this.ctx.storage.setAlarm(nextScanAt(now))
  }

  override async alarm(): Promise<void> {
    // Sets the next alarm before anything that can fail. If this call itself fails, the platform retries the alarm.
    await this.ctx.storage.setAlarm(nextScanAt(Date.now()))
    if (this.isScanning) return
    this.isScanning = true
    this.ctx.waitUntil(wakeWatchers(this.env))
    this.ctx.waitUntil(this.#scan().finally(() => (this.isScanning = false)))
  }

  async #scan(): Promise<void> {
    const log = (event: string, facts: LogFields) => logEvent(this.env, event, facts)
    try {
      const scanned = await scan({
        rows: new ScannerIndex(drizzle(this.env.DB, { schema })),
        reports: () => takeTickReports(this.env, sleep),
        visit: (id, version) => this.env.TRIGGER_QUEUE.getByName(id).visit(version),
        now: Date.now,
        sleep,
        log,
      })
      const status: ScanStatus = { endedAt: Date.now(), ...scanned }
      await this.ctx.storage.put(LAST_SCAN, status)
    } catch (error) {
      log('scan.broken', { reason: rootCauseText(error) })
    }
  }
}

export function nextScanAt(now: number): number {
  const scans = Math.floor((now - AFTER_COMMON_TICKS_MS) / SCAN_INTERVAL_MS)
  return (scans + 1) * SCAN_INTERVAL_MS + AFTER_COMMON_TICKS_MS
}
