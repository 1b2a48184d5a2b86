import { RunClock } from './clock.ts'
import type { Engine } from '../engine/engine.ts'
import { outOfMemory, stoppedFailure, thrownFailure, trapFailure } from '../failure.ts'
import type { Ending } from './guest-reports.ts'
import { keyOperation, logLevel, returned } from './guest-reports.ts'
import { guestText } from './guest-text.ts'
import type { RunHooks } from '../host/run-functions.ts'
import { IDLE_HOOKS } from '../host/run-functions.ts'
import { Logs } from './logs.ts'
import { KEY_LIMIT_REFUSAL, KEY_OPERATIONS_PASSED_ON } from '../key-limit.ts'
import type { KeyAnswer } from '../messages.ts'
import type { KeyOperation, RunFailed, RunRequest, RunReturned } from '../run.ts'
import { Timers } from './timers.ts'

/** Promise jobs between two looks at the clock: short jobs may never reach the interrupt handler. */
const JOBS_PER_BATCH = 256

/** One run of one action in a sandbox of its own, from hand-over to result. */
export class Execution {
  readonly #engine: Engine
  readonly #request: RunRequest
  readonly #ask: (id: number, operation: KeyOperation) => void
  readonly #clock: RunClock
  readonly #logs = new Logs()
  readonly #timers: Timers
  readonly #keyOperations = new Set<number>()
  readonly #ended = Promise.withResolvers<RunReturned | RunFailed>()
  #asked = 0
  /** What the guest reported; the run ends when the engine has returned from that call. */
  #ending: Ending | undefined
  #over = false
  #deadline: NodeJS.Timeout | undefined

  /** `ask` passes a key operation on; its answer comes back through `settle`. */
  constructor(
    engine: Engine,
    request: RunRequest,
    ask: (id: number, operation: KeyOperation) => void,
  ) {
    this.#engine = engine
    this.#request = request
    this.#ask = ask
    this.#clock = new RunClock(request)
    this.#timers = new Timers((id) => this.#enter(() => this.#call('fire', [id])))
    engine.hooks = this.#hooks()
  }

  run(): Promise<RunReturned | RunFailed> {
    this.#awaitDeadline()
    this.#enter(() => this.#start())
    return this.#ended.promise
  }

  /** For the time that the action spends waiting; while it computes, the interrupt handler watches. */
  #awaitDeadline(): void {
    const left = Math.max(1, Math.ceil(this.#request.wallMs - this.#clock.elapsedMs()))
    this.#deadline = setTimeout(() => {
      if (this.#clock.isUp()) this.#end({ failure: this.#clock.failure() })
      else this.#awaitDeadline()
    }, left)
  }

  settle(id: number, answer: KeyAnswer): void {
    if (!this.#keyOperations.delete(id)) return
    const { ok, ...refusal } = answer
    const json = JSON.stringify(answer.ok ? answer.value : refusal)
    this.#enter(() => this.#call('settle', [id, !ok, json]))
  }

  /** Ends the run where it waits; while it computes, nothing is heard here. */
  stop(): void {
    this.#end({ failure: stoppedFailure() })
  }

  #start(): void {
    const { context, entry } = this.#engine
    const params = guestText(this.#request.params)
    if (params === undefined || !this.#call('receive', [params])) {
      if (this.#isCut()) return
      const message = 'the params are not JSON'
      this.#ending = { failure: { code: 'invalid_params', message, stack: message } }
      return
    }
    const loaded = context.evalCode(this.#request.code, 'action.js', { type: 'global' })
    if (loaded.error === undefined) this.#call('begin', [])
    else if (this.#clock.reached === undefined) {
      context.callFunction(entry.uncaught, context.undefined, loaded.error)
    }
  }

  /** True when an error that reached us is the engine's own stop, and says nothing about the action. */
  #isCut(): boolean {
    return this.#engine.exhausted || this.#clock.reached !== undefined
  }

  /** True unless the function threw, which the prelude's do only when memory or time is up. */
  #call(name: keyof Engine['entry'], args: (string | number | boolean)[]): boolean {
    const { context, entry } = this.#engine
    const handles = args.map((value) => {
      if (typeof value === 'string') return context.newString(value)
      if (typeof value === 'number') return context.newNumber(value)
      return value ? context.true : context.false
    })
    const result = context.callFunction(entry[name], context.undefined, ...handles)
    // Params may be megabytes, and the action has 64.
    for (const handle of handles) handle.dispose()
    return result.error === undefined
  }

  /** Every way into the guest: the call, then the jobs that it left, then a look at what came of it. */
  #enter(call: () => void): void {
    if (this.#over) return
    try {
      call()
      const { runtime } = this.#engine.context
      while (this.#ending === undefined && !this.#clock.isUp() && runtime.hasPendingJob()) {
        if (runtime.executePendingJobs(JOBS_PER_BATCH).error !== undefined) break
      }
    } catch (trap) {
      this.#ending = { failure: trapFailure(trap, this.#engine.exhausted) }
    }
    const ending = this.#outcome()
    if (ending !== undefined) this.#end(ending)
  }

  #outcome(): Ending | undefined {
    if (this.#ending !== undefined) return this.#ending
    if (this.#clock.isUp()) return { failure: this.#clock.failure() }
    if (this.#timers.count > 0 || this.#keyOperations.size > 0) return undefined
    if (this.#engine.exhausted) return { failure: outOfMemory() }
    const message = 'main returned a promise that nothing can settle any more'
    return { failure: { code: 'action_pending', message, stack: message } }
  }

  #end(ending: Ending): void {
    if (this.#over) return
    this.#over = true
    this.#engine.hooks = IDLE_HOOKS
    this.#timers.clear()
    clearTimeout(this.#deadline)
    const measured = {
      logs: this.#logs.lines,
      durationMs: this.#clock.elapsedMs(),
      cpuMs: this.#clock.usedCpuMs(),
    }
    this.#ended.resolve(
      'value' in ending
        ? { kind: 'returned', value: ending.value, ...measured }
        : { kind: 'failed', ...ending.failure, ...measured },
    )
  }

  #hooks(): RunHooks {
    return {
      mustStop: () => this.#clock.isUp(),
      finish: (json) => {
        if (this.#clock.reached === undefined) this.#ending ??= returned(json)
      },
      fail: (code, name, message, frames) => {
        // Inside a promise job the engine's interrupt arrives as an ordinary error, 'interrupted'.
        if (this.#clock.reached !== undefined) return
        const thrown = { code, name, message, frames }
        this.#ending ??= { failure: thrownFailure(thrown, this.#engine.exhausted) }
      },
      log: (level, text) =>
        this.#logs.add(logLevel(level), Math.round(this.#clock.elapsedMs()), text),
      setTimer: (id, ms) => this.#timers.set(id, ms),
      clearTimer: (id) => this.#timers.delete(id),
      operation: (id, name, argument) => {
        const operation = keyOperation(name, argument)
        if (operation === undefined) return { message: 'there is no such operation' }
        if (++this.#asked > KEY_OPERATIONS_PASSED_ON) return KEY_LIMIT_REFUSAL
        this.#keyOperations.add(id)
        this.#ask(id, operation)
        return undefined
      },
      abandon: (id) => {
        this.#keyOperations.delete(id)
      },
    }
  }
}
