import { derivedRunSuffix } from '../derived-run-suffix.ts'

/**
 * A tick always gets the same run ID (`docs/decisions/0021`).
 * @param tick nominal time, in Unix milliseconds
 */
export function tickRunSuffix(triggerId: string, tick: number): string {
  return derivedRunSuffix(`svc/tick/v1/${triggerId}/${tick}`)
}

/** Formats a nominal time, such as `2026-05-22T13:05:00Z`. Omits milliseconds, because ticks are whole seconds. */
export function nominalTime(tick: number): string {
  return new Date(tick).toISOString().replace('.000Z', 'Z')
}
