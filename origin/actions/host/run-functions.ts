import { randomBytes } from 'node:crypto'
import type { HostFunctions } from './host-function.ts'
import { hostFunction } from './host-function.ts'

/** Why an operation is not begun, for the action's author. */
export type Refusal = { message: string; code?: string }

/** A code in any case: the guest would else find one where an action put it, on Object.prototype. */
export function refusalJson({ message, code = '' }: Refusal): string {
  return JSON.stringify({ message, code })
}

/** What a run hears from its sandbox. Texts come from code that we do not know. */
export type RunHooks = {
  finish(json: string): void
  fail(code: string, name: string, message: string, frames: string): void
  log(level: string, text: string): boolean
  setTimer(id: number, ms: number): void
  clearTimer(id: number): void
  /** Begins what the action waits for; a refusal when it is not begun. `bytes` is good for this call only. */
  operation(id: number, name: string, argument: unknown, bytes: Uint8Array): Refusal | undefined
  /** The action does not wait for that operation any more. */
  abandon(id: number): void
  /** True when the run must stop; asked every few thousand steps of the guest. */
  mustStop(): boolean
}

/** While no run is under way. */
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

/** Bytes of one random request; the prelude holds the same quota (Web Crypto). */
const RANDOM_MAX_BYTES = 65_536

/** The host functions that belong to one run. */
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
