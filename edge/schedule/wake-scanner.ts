import type { Env } from '../env.ts'
import type { ScanStatus } from './scheduler-object.ts'

const SCANNER = 'scanner'

export function wakeScanner(env: Env): Promise<void> {
  return env.SCHEDULER.getByName(SCANNER).wake()
}

export function scanStatus(env: Env): Promise<ScanStatus> {
  return env.SCHEDULER.getByName(SCANNER).status()
}

let isAwake = false

/**
 * Wakes the scanner in the background of the isolate's first request, because a local stack has no cron trigger that
 * would wake the scanner.
 */
export function wakeScannerOnce(env: Env, context: Pick<ExecutionContext, 'waitUntil'>): void {
  if (isAwake) return
  isAwake = true
  context.waitUntil(wakeScanner(env).catch(() => (isAwake = false)))
}
