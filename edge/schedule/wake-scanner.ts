import type { Env } from '../env.ts'
import type { ScanStatus } from './scheduler.ts'

/** There is one scanner. */
const SCANNER = 'scanner'

/** Makes sure that the scanner is going. */
export function wakeScanner(env: Env): Promise<void> {
  return env.SCHEDULER.getByName(SCANNER).wake()
}

/** What the scanner says of its last scan. */
export function scanStatus(env: Env): Promise<ScanStatus> {
  return env.SCHEDULER.getByName(SCANNER).status()
}

let isAwake = false

/** The same, once in an isolate's life, beside its first request: no cron trigger does it in a local stack. */
export function wakeScannerOnce(env: Env, context: Pick<ExecutionContext, 'waitUntil'>): void {
  if (isAwake) return
  isAwake = true
  context.waitUntil(wakeScanner(env).catch(() => (isAwake = false)))
}
