import type { Env } from '../env.ts'
import type { ScanStatus } from './scheduler.ts'

const SCANNER = 'scanner'

/** Ensures that the scanner's alarm is set. */
export function wakeScanner(env: Env): Promise<void> {
  return env.SCHEDULER.getByName(SCANNER).wake()
}

export function scanStatus(env: Env): Promise<ScanStatus> {
  return env.SCHEDULER.getByName(SCANNER).status()
}

let isAwake = false

/**
 * Wakes the scanner once per isolate, alongside its first request. A local stack has no cron trigger that does this.
 */
export function wakeScannerOnce(env: Env, context: Pick<ExecutionContext, 'waitUntil'>): void {
  if (isAwake) return
  isAwake = true
  context.waitUntil(wakeScanner(env).catch(() => (isAwake = false)))
}
