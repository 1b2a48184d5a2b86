import type { Entry, Passed, Vm } from '../engine/vm.ts'
import { outOfMemory, stoppedFailure, thrownFailure, trapFailure } from '../failure.ts'
import type { RunHooks } from '../host/run-functions.ts'
import { refusalJson } from '../host/run-functions.ts'
import { KEY_LIMIT_REFUSAL, KEY_OPERATIONS_PASSED_ON } from '../key-limit.ts'
import type { AskedOperation, KeyAnswer } from '../messages.ts'
import type { Outbound, RunOutbound } from '../outbound/outbound.ts'
import type { RunFailed, RunRequest, RunReturned } from '../run.ts'
import { RunClock } from './clock.ts'
import type { Ending } from './guest-reports.ts'
import { keyOperation, logLevel, returned } from './guest-reports.ts'
import { guestText } from './guest-text.ts'
import { Logs } from './logs.ts'
import { Timers } from './timers.ts'

/** Promise jobs between two clock checks. Short jobs may never reach the interrupt handler. */
const JOBS_PER_BATCH = 256

/**
 * Computing time after which a resumed run is reported as computing. Most runs finish or wait again sooner, and a flood
 * of timers must not become a flood of messages.
 */
const COMPUTES_AFTER_MS = 5

/**
 * Interval of further reports, so that a long computation yields to other runs by its CPU time and not by wall time.
 */
const COMPUTES_AGAIN_MS = 25

export type ExecutionEvents = {
  /**
   * The run waits, either for these operations, which only the parent can perform, or for a timer or a response.
   * `computedMs` is its CPU time so far.
   */
  waits(operations: AskedOperation[], computedMs: number): void
  /** The run computes again after a wait, or is still computing. */
  computes(computedMs: number): void
  ended(result: RunReturned | RunFailed): void
}

type Handed = Pick<RunRequest, 'code' | 'params' | 'wallMs' | 'cpuMs'>

/** One run of one action in a clean sandbox, from request to result. */
export class Execution {
  readonly #vm: Vm
  readonly #outbound: RunOutbound
  readonly #request: Handed
  readonly #events: ExecutionEvents
  readonly #clock: RunClock
  readonly #logs = new Logs()
  readonly #timers: Timers
  /** Key operations that the guest waits for, and those that have not been passed on yet. */
  readonly #keyOperations = new Set<number>()
  #asked: AskedOperation[] = []
  readonly #requests = new Map<number, AbortController>()
  #keyOperationsAsked = 0
  /** Reported by the guest. The run ends when the engine returns from that call. */
  #ending: Ending | undefined
  #over = false
  /** The last reported state, and the time at which the guest's code was last entered. */
  #saidToWait = false
  #enteredAt = 0
  /** The last reported CPU time, and the time of the last report. */
  #saidMs = 0
  #saidAt = performance.now()
  #deadline: NodeJS.Timeout | undefined

  constructor(vm: Vm, outbound: Outbound, request: Handed, events: ExecutionEvents) {
    this.#vm = vm
    this.#outbound = outbound.forRun()
    this.#request = request
    this.#events = events
    this.#clock = new RunClock(request)
    this.#timers = new Timers((id) => this.#enter(() => this.#call('fire', [id])))
    vm.hooks = this.#hooks()
  }

  start(): void {
    this.#enter(() => this.#begin())
  }

  settle(id: number, answer: KeyAnswer): void {
    if (!this.#keyOperations.delete(id)) return
    const json = answer.ok ? JSON.stringify(answer.value) : refusalJson(answer)
    this.#enter(() => this.#call('settle', [id, !answer.ok, json]))
  }

  #fetch(id: number, request: unknown, body: Uint8Array): undefined {
    const abort = new AbortController()
    this.#requests.set(id, abort)
    void this.#outbound.fetch(request, body, abort.signal).then((answer) => {
      if (!this.#requests.delete(id)) return
      this.#enter(() => {
        if (answer.ok) this.#call('settle', [id, false, JSON.stringify(answer.value), answer.bytes])
        else this.#call('settle', [id, true, refusalJson(answer)])
      })
    })
  }

  /** Ends a run that is waiting. While the run computes, no message reaches this process. */
  stop(): void {
    this.#end({ failure: stoppedFailure() })
  }

  #begin(): void {
    const params = guestText(this.#request.params)
    if (params === undefined || !this.#call('receive', [params])) {
      if (this.#isCut()) return
      const message = 'the params are not JSON'
      this.#ending = { failure: { code: 'invalid_params', message, stack: message } }
      return
    }
    const thrown = this.#vm.evaluate(this.#request.code)
    if (thrown === undefined) this.#call('begin', [])
    else if (this.#clock.reached === undefined) this.#vm.callWith('uncaught', [thrown])
  }

  /** True if the error comes from the engine being stopped, not from the action. */
  #isCut(): boolean {
    return this.#vm.engine.exhausted || this.#clock.reached !== undefined
  }

  #call(entry: Entry, args: readonly Passed[]): boolean {
    return this.#vm.call(entry, args)
  }

  /** Every entry into the guest: makes the call, runs the jobs that it queued, then checks the outcome. */
  #enter(call: () => void): void {
    if (this.#over) return
    this.#enteredAt = performance.now()
    try {
      call()
      while (this.#ending === undefined && !this.#clock.isUp() && this.#vm.hasJobs) {
        if (!this.#vm.runJobs(JOBS_PER_BATCH)) break
      }
    } catch (trap) {
      this.#vm.trapped = true
      // The clock's own stop may also be a trap, out of a loop that the engine does not interrupt.
      if (this.#clock.reached === undefined)
        this.#ending = { failure: trapFailure(trap, this.#vm.engine.exhausted) }
    }
    const ending = this.#outcome()
    if (ending === undefined) this.#wait()
    else this.#end(ending)
  }

  #outcome(): Ending | undefined {
    if (this.#ending !== undefined) return this.#ending
    if (this.#clock.isUp()) return { failure: this.#clock.failure() }
    if (this.#timers.count + this.#keyOperations.size + this.#requests.size > 0) return undefined
    if (this.#vm.engine.exhausted) return { failure: outOfMemory() }
    const message = 'main returned a promise that nothing can settle any more'
    return { failure: { code: 'action_pending', message, stack: message } }
  }

  /**
   * Waits for an answer or a timer. Another timer enforces the deadline, because no interrupt handler runs meanwhile.
   */
  #wait(): void {
    const computedMs = this.#clock.usedCpuMs()
    // Short turns add up. A run that waits after each of them must not appear to be idle.
    const isWorthSaying = computedMs - this.#saidMs > COMPUTES_AFTER_MS
    if (this.#asked.length > 0 || !this.#saidToWait || isWorthSaying) {
      this.#saidMs = computedMs
      this.#saidAt = performance.now()
      this.#events.waits(this.#asked, computedMs)
    }
    this.#asked = []
    this.#saidToWait = true
    if (this.#deadline === undefined) this.#awaitDeadline()
  }

  #awaitDeadline(): void {
    const left = Math.max(1, Math.ceil(this.#request.wallMs - this.#clock.elapsedMs()))
    this.#deadline = setTimeout(() => {
      if (this.#clock.isUp()) this.#end({ failure: this.#clock.failure() })
      else this.#awaitDeadline()
    }, left)
  }

  #end(ending: Ending): void {
    if (this.#over) return
    this.#over = true
    this.#timers.clear()
    this.#outbound.close()
    clearTimeout(this.#deadline)
    const measured = {
      logs: this.#logs.lines,
      durationMs: this.#clock.elapsedMs(),
      cpuMs: this.#clock.usedCpuMs(),
    }
    this.#events.ended(
      'value' in ending
        ? { kind: 'returned', value: ending.value, ...measured }
        : { kind: 'failed', ...ending.failure, ...measured },
    )
  }

  #mustStop(): boolean {
    const now = performance.now()
    const isNews = this.#saidToWait && now - this.#enteredAt > COMPUTES_AFTER_MS
    if (isNews || now - this.#saidAt > COMPUTES_AGAIN_MS) {
      this.#saidToWait = false
      this.#saidAt = now
      this.#saidMs = this.#clock.usedCpuMs()
      this.#events.computes(this.#saidMs)
    }
    return this.#clock.isUp()
  }

  #hooks(): RunHooks {
    return {
      mustStop: () => this.#mustStop(),
      finish: (json) => {
        if (this.#clock.reached === undefined) this.#ending ??= returned(json)
      },
      fail: (code, name, message, frames) => {
        // Inside a promise job, the engine's interrupt surfaces as an ordinary error, 'interrupted'.
        if (this.#clock.reached !== undefined) return
        const thrown = { code, name, message, frames }
        this.#ending ??= { failure: thrownFailure(thrown, this.#vm.engine.exhausted) }
      },
      log: (level, text) =>
        this.#logs.add(logLevel(level), Math.round(this.#clock.elapsedMs()), text),
      setTimer: (id, ms) => this.#timers.set(id, ms),
      clearTimer: (id) => this.#timers.delete(id),
      operation: (id, name, argument, bytes) => {
        if (name === 'fetch') return this.#fetch(id, argument, bytes)
        const operation = keyOperation(name, argument)
        if (operation === undefined) return { message: 'there is no such operation' }
        if (++this.#keyOperationsAsked > KEY_OPERATIONS_PASSED_ON) return KEY_LIMIT_REFUSAL
        this.#keyOperations.add(id)
        this.#asked.push({ id, operation })
        return undefined
      },
      abandon: (id) => {
        this.#keyOperations.delete(id)
        this.#requests.get(id)?.abort()
        this.#requests.delete(id)
      },
    }
  }
}
