import type { FailedResult, ActionResult, ReturnedResult } from '../../../origin/actions/run.ts'
import type { Expected, HostileProgram } from './program.ts'

/** A run that exceeds its wall clock limit by this factor hangs. The minimum allows for a busy machine. */
const PATIENCE = 5
const PATIENCE_MIN_MS = 3_000

/**
 * Returns how the outcome of a hostile program deviates from its row, or `undefined` if it ended as expected and in
 * time.
 */
export function wrongAbout(program: HostileProgram, result: ActionResult): string | undefined {
  const shown = JSON.stringify({ ...result, logs: undefined }).slice(0, 1000)
  if (result.kind === 'lost') return `${program.name} was lost: ${shown}`
  if (!program.expected.some((end) => isSuch(end, result)))
    return `${program.name} ended otherwise: ${shown}`
  if (result.durationMs > Math.max(PATIENCE_MIN_MS, PATIENCE * program.wallMs))
    return `${program.name} took ${Math.round(result.durationMs)} ms of ${program.wallMs}`
  return undefined
}

function isSuch(end: Expected, result: ReturnedResult | FailedResult): boolean {
  if ('returnsInTime' in end) return result.kind === 'returned'
  if ('returns' in end)
    return result.kind === 'returned' && result.value === JSON.stringify(end.returns)
  if (result.kind !== 'failed' || result.code !== end.fails) return false
  return end.says?.test(result.message) ?? true
}

export const sourceOf = ({ code }: HostileProgram) => (typeof code === 'string' ? code : code())
