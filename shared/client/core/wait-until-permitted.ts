import { eitherSignal } from '../either-signal.ts'
import { Forbidden, Unauthorized } from '../failures/by-status.ts'
import { PERMITTED_WITHIN_MS } from '../limits.ts'
import { polled } from '../polling.ts'
import type { Surroundings } from '../surroundings.ts'

export type WaitOptions = { timeoutMs?: number; signal?: AbortSignal }

/**
 * Makes the real call until it is let in (specification, States and transitions: a new grant is seen a moment later, and
 * so is a new key). Every other failure ends it at once; 403 and 401 do when the time is over.
 * @returns the answer of the call that was let in
 */
export type WaitUntilPermitted = <Answer>(
  call: () => Promise<Answer>,
  options?: WaitOptions,
) => Promise<Answer>

export function waitUntilPermitted(
  surroundings: Surroundings,
  clientSignal?: AbortSignal,
): WaitUntilPermitted {
  const notYet = (error: unknown) =>
    error instanceof Forbidden || error instanceof Unauthorized ? { atLeastMs: 0 } : undefined
  return (call, { timeoutMs = PERMITTED_WITHIN_MS, signal } = {}) =>
    polled(call, { timeoutMs, signal: eitherSignal(clientSignal, signal), notYet }, surroundings)
}
