import { eitherSignal } from '../either-signal.ts'
import { Forbidden, Unauthorized } from '../failures/by-status.ts'
import { PERMITTED_WITHIN_MS } from '../limits.ts'
import { polled } from '../polling.ts'
import type { Surroundings } from '../surroundings.ts'

export type WaitOptions = { timeoutMs?: number; signal?: AbortSignal }

/**
 * Retries a call after 401 and 403, because a new grant or key is not visible immediately. Throws other errors
 * immediately, and a 401 or 403 after the timeout.
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
