import { anySignal } from '../abortable.ts'
import { Forbidden, Unauthorized } from '../failures/by-status.ts'
import { PERMITTED_TIMEOUT_MS } from '../limits.ts'
import { pollUntilReady } from '../polling.ts'
import type { RuntimeEnvironment } from '../runtime-environment.ts'

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
  environment: RuntimeEnvironment,
  clientSignal?: AbortSignal,
): WaitUntilPermitted {
  const notYet = (error: unknown) =>
    error instanceof Forbidden || error instanceof Unauthorized ? { atLeastMs: 0 } : undefined
  return (call, { timeoutMs = PERMITTED_TIMEOUT_MS, signal } = {}) =>
    pollUntilReady(
      call,
      { timeoutMs, signal: anySignal(clientSignal, signal), notYet },
      environment,
    )
}
