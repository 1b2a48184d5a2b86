import { randomBytes } from 'node:crypto'
import { type HostFunctions, hostFunction } from './host-function.ts'

/** Reason why an operation was refused, shown to the action's author. */
export type OperationRefusal = { message: string; code?: string }

/** Always includes a code. Otherwise, the guest would read a `code` that an action has defined on Object.prototype. */
export function refusalJson({ message, code = '' }: OperationRefusal): string {
  return JSON.stringify({ message, code })
}

/** All texts from the guest are untrusted. */
export type RunHooks = {
  finish(json: string): void
  fail(code: string, name: string, message: string, frames: string): void
  log(level: string, text: string): boolean
  setTimer(id: number, ms: number): void
  clearTimer(id: number): void
  /** Starts an asynchronous operation, or returns a refusal. `bytes` is valid only during this call. */
  operation(
    id: number,
    name: string,
    argument: unknown,
    bytes: Uint8Array,
  ): OperationRefusal | undefined
  abandon(id: number): void
  /** Called once every few thousand steps of the guest. */
  mustStop(): boolean
  /** The prelude subtracts the start time of the run. */
  monotonicMs(): number
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
  monotonicMs: () => performance.now(),
}

/** The prelude enforces the same limit (Web Crypto). */
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

export function clockFunctions(hooks: () => RunHooks): HostFunctions {
  return { monotonicMs: hostFunction([], 'number', () => hooks().monotonicMs()) }
}
