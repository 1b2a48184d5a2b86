import type { Env } from '../env.ts'

/** There is one scanner. */
const SCANNER = 'scanner'

/** Makes sure that the scanner is going. */
export function wakeScanner(env: Env): Promise<void> {
  return env.SCHEDULER.getByName(SCANNER).wake()
}

let isAwake = false

/** The same, once in an isolate's life, beside its first request: no cron trigger does it in a local stack. */
export function wakeScannerOnce(env: Env, context: Pick<ExecutionContext, 'waitUntil'>): void {
  if (isAwake) return
  isAwake = true
  context.waitUntil(wakeScanner(env).catch(() => (isAwake = false)))
}
