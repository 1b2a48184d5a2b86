import type { Accepted } from '../../queue/intake.ts'
import { notFound } from '../owned-trigger.ts'

/**
 * Returns the ID of a run that the owner started, or `undefined` if the trigger does not accept runs now.
 * @throws {ApiError} 404
 */
export function acceptedRun(accepted: Accepted, what: 'trigger' | 'run'): string | undefined {
  if (accepted.state === 'unknown') throw notFound(what)
  return accepted.state === 'queued' ? accepted.runId : undefined
}

/** Explains why the trigger does not accept runs, and what to do. */
export function whyNot(accepted: Accepted): string {
  return accepted.state === 'disabled'
    ? 'The trigger is paused, and nothing of it starts. Resume it first.'
    : 'Its queue is full. Wait, or cancel what is queued.'
}
