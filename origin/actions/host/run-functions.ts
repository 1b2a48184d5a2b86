import { randomBytes } from 'node:crypto'
import type { HostFunctions } from './host-function.ts'
import { hostFunction } from './host-function.ts'

/** Reason for not starting an operation, for the action's author. */
export type Refusal = { message: string; code?: string }

/** Always includes a code. Without one, the guest would read a code that an action put on Object.prototype. */
export function refusalJson({ message, code = '' }: Refusal): string {
  return JSON.stringify({ message, code })
}

/** Calls that a sandbox makes to its run. The texts come from untrusted code. */
export type RunHooks = {
  finish(json: string): void
  fail(code: string, name: string, message: string, frames: string): void
  log(level: string, text: string): boolean
  setTimer(id: number, ms: number): void
  clearTimer(id: number): void
  /** Starts an operation that the action waits for, or returns a refusal. `bytes` is valid for this call only. */
  operation(id: number, name: string, argument: unknown, bytes: Uint8Array): Refusal | undefined
  abandon(id: number): void
  /** Returns true if the run must stop. Called every few thousand steps of the guest. */
  mustStop(): boolean
}

export const IDLE_HOOKS: RunHooks = {
  finish: () => {},
  fail: () => {},
  log: () => false,
  setTimer: () => {},
  clearTimer: () => {},
  operation: () => undefined,
  abandon: () => {},
  mustStop: () => false,
}

/** Limit on the bytes of one request for randomness. The prelude enforces the same quota (Web Crypto). */
const RANDOM_MAX_BYTES = 65_536

export function runFunctions(hooks: () => RunHooks): HostFunctions {
  return {
    finish: hostFunction(['text'], 'nothing', (json) => hooks().finish(json)),
    fail: hostFunction(['json', 'json', 'json', 'json'], 'nothing', (...parts) => {
      const [code, name, message, frames] = parts.map(String) as [string, string, string, string]
      hooks().fail(code, name, message, frames)
    }),
    log: hostFunction(['text', 'json'], 'boolean', (level, line) =>
      hooks().log(level, String(line)),
    ),
    setTimer: hostFunction(['number', 'number'], 'nothing', (id, ms) => hooks().setTimer(id, ms)),
    clearTimer: hostFunction(['number'], 'nothing', (id) => hooks().clearTimer(id)),
    operation: hostFunction(
      ['number', 'text', 'json', 'bytes'],
      'text',
      (id, name, argument, bytes) => {
        const refusal = hooks().operation(id, name, argument, bytes)
        return refusal === undefined ? '' : refusalJson(refusal)
      },
    ),
    abandon: hostFunction(['number'], 'nothing', (id) => hooks().abandon(id)),
    random: hostFunction(['number'], 'bytes', (count) =>
      randomBytes(Math.min(RANDOM_MAX_BYTES, Math.max(0, Math.trunc(count)))),
    ),
  }
}
