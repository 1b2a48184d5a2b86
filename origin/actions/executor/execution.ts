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

/** Promise jobs between two looks at the clock: short jobs may never reach the interrupt handler. */
const JOBS_PER_BATCH = 256

/**
 * A run that goes on after a wait is said to compute when it has done so for this long: most answer or wait again
 * sooner, and a flood of timers must not become a flood of messages.
 */
const COMPUTES_AFTER_MS = 5

/** And it says so again: who computes for long gives way to others, by its CPU time and not by the wall's. */
const COMPUTES_AGAIN_MS = 25

/** What an execution tells its executor. */
export type ExecutionEvents = {
  /**
   * It waits: for these, which only the parent can do, or for something of its own. `computedMs` is its CPU time so far.
   */
  waits(operations: AskedOperation[], computedMs: number): void
  /** It computes: again, after a wait, and still. */
  computes(computedMs: number): void
  ended(result: RunReturned | RunFailed): void
}

type Handed = Pick<RunRequest, 'code' | 'params' | 'wallMs' | 'cpuMs'>

/** One run of one action in a sandbox that is clean, from hand-over to result. */
export class Execution {
  readonly #vm: Vm
  readonly #outbound: RunOutbound
  readonly #request: Handed
  readonly #events: ExecutionEvents
  readonly #clock: RunClock
  readonly #logs = new Logs()
  readonly #timers: Timers
  /** Operations that the guest waits for, and those among them that are not yet passed on. */
  readonly #keyOperations = new Set<number>()
  #asked: AskedOperation[] = []
  readonly #requests = new Map<number, AbortController>()
  #keyOperationsAsked = 0
  /** What the guest reported; the run ends when the engine has returned from that call. */
  #ending: Ending | undefined
  #over = false
  /** What was last said of it, and since when it is in the guest's code. */
  #saidToWait = false
  #enteredAt = 0
  /** The CPU time that was said, and when something was said last. */
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

  /** Ends the run where it waits; while it computes, nothing is heard here. */
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

  /** True when an error that reached us is the engine's own stop, and says nothing about the action. */
  #isCut(): boolean {
    return this.#vm.engine.exhausted || this.#clock.reached !== undefined
  }

  #call(entry: Entry, args: readonly Passed[]): boolean {
    return this.#vm.call(entry, args)
  }

  /** Every way into the guest: the call, then the jobs that it left, then a look at what came of it. */
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
      // The clock's own stop may come as a trap, out of a loop that the engine does not interrupt.
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

  /** Until an answer or a timer; the deadline holds there too, where no interrupt handler looks. */
  #wait(): void {
    const computedMs = this.#clock.usedCpuMs()
    // Short turns add up too: who waits after each of them is not to look idle.
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
        // Inside a promise job the engine's interrupt arrives as an ordinary error, 'interrupted'.
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
