import { randomBytes } from 'node:crypto'
import type { QuickJSContext, QuickJSHandle } from 'quickjs-emscripten'
import { LOGS_MAX_BYTES, RESULT_MAX_BYTES } from '../../../shared/limits.ts'

/** What a run hears from its sandbox. Texts come from code that we do not know. */
export type HostHooks = {
  finish(json: string): void
  fail(code: string, name: string, message: string, frames: string): void
  log(level: string, text: string): boolean
  setTimer(id: number, ms: number): void
  clearTimer(id: number): void
  /** A refusal when the operation is not passed on, else ''. */
  keyOperation(id: number, name: string, argument: string): string
  /** True when the run must stop; asked every few thousand steps of the guest. */
  mustStop(): boolean
}

/** Until a run begins: the prelude and ethers only load, and ask for nothing. */
export const IDLE_HOOKS: HostHooks = {
  finish: () => {},
  fail: () => {},
  log: () => false,
  setTimer: () => {},
  clearTimer: () => {},
  keyOperation: () => '',
  mustStop: () => false,
}

/** Bytes of one random request; the prelude holds the same quota (Web Crypto). */
const RANDOM_MAX_BYTES = 65_536

/**
 * The object through which the prelude reaches the host. It is handed to the prelude's functions and is
 * on no global, so the action itself cannot call it. Strings cross as JSON: the engine's own way of
 * passing a string stops at NUL.
 */
export function hostObject(context: QuickJSContext, hooks: () => HostHooks): QuickJSHandle {
  const host = context.newObject()
  const text = (handle: QuickJSHandle | undefined) =>
    handle !== undefined && context.typeof(handle) === 'string' ? context.getString(handle) : ''
  const fromJson = (handle: QuickJSHandle | undefined) => String(JSON.parse(text(handle) || '""'))
  const number = (handle: QuickJSHandle | undefined) =>
    handle !== undefined && context.typeof(handle) === 'number' ? context.getNumber(handle) : 0
  const provide = (name: string, call: (...args: QuickJSHandle[]) => QuickJSHandle | void) =>
    context.newFunction(name, call).consume((handle) => context.setProp(host, name, handle))
  const constant = (name: string, value: number) =>
    context.newNumber(value).consume((handle) => context.setProp(host, name, handle))

  constant('resultMaxBytes', RESULT_MAX_BYTES)
  constant('logsMaxBytes', LOGS_MAX_BYTES)
  provide('finish', (json) => {
    hooks().finish(text(json))
  })
  provide('fail', (code, name, message, frames) => {
    hooks().fail(fromJson(code), fromJson(name), fromJson(message), fromJson(frames))
  })
  provide('log', (level, line) =>
    hooks().log(text(level), fromJson(line)) ? context.true : context.false,
  )
  provide('setTimer', (id, ms) => {
    hooks().setTimer(number(id), number(ms))
  })
  provide('clearTimer', (id) => {
    hooks().clearTimer(number(id))
  })
  provide('keyOperation', (id, name, argument) =>
    context.newString(hooks().keyOperation(number(id), text(name), fromJson(argument))),
  )
  provide('random', (count) => {
    const bytes = Math.min(RANDOM_MAX_BYTES, Math.max(0, Math.trunc(number(count))))
    return context.newString(randomBytes(bytes).toString('hex'))
  })
  return host
}
