/**
 * Measures the limits of the service (`docs/scale.md`): the mirror with 1,000,000 accounts, the scanner with 100,000
 * schedules, the database load of an idle process, and a full pool within a memory limit.
 */
import { measureIdleProcess } from './scale/idle-process.ts'
import { measureMemoryLimit } from './scale/memory-limit.ts'
import { measureMirror } from './scale/mirror.ts'
import { measureScanner } from './scale/scanner.ts'

const PHASES: Record<string, () => Promise<void>> = {
  mirror: measureMirror,
  scanner: measureScanner,
  idle: measureIdleProcess,
  memory: measureMemoryLimit,
}

export async function scale(phase?: string): Promise<void> {
  const chosen = phase === undefined ? Object.values(PHASES) : [PHASES[phase]]
  for (const measure of chosen) {
    if (!measure) throw new Error(`the phases of scale are ${Object.keys(PHASES).join(', ')}`)
    await measure()
  }
}
