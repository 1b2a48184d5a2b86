import type { IntakeResult } from '../../queue/intake.ts'
import { notFound } from '../../http/trigger-lookup.ts'

/**
 * Returns the ID of an accepted run, or `undefined` if the trigger does not currently accept runs.
 * @throws {ApiError} 404 if the trigger or run is unknown
 */
export function acceptedRunId(accepted: IntakeResult, what: 'trigger' | 'run'): string | undefined {
  if (accepted.state === 'unknown') throw notFound(what)
  return accepted.state === 'queued' ? accepted.runId : undefined
}

export function rejectionText(accepted: IntakeResult): string {
  return accepted.state === 'disabled'
    ? 'The trigger is paused. Resume it first.'
    : 'The queue is full. Wait, or cancel queued runs.'
}
