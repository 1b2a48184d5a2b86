import { OUTBOUND_REQUESTS_MAX } from '../../../shared/limits.ts'
import type { EntryPoint, GuestArgument, Vm } from '../engine/vm.ts'
import { outOfMemoryFailure, stoppedFailure, thrownFailure, trapFailure } from '../failure.ts'
import { type RunHooks, refusalJson } from '../host/run-functions.ts'
import { KEY_LIMIT_REFUSAL, KEY_OPERATIONS_FORWARDED } from '../key-limit.ts'
import type { KeyRequest, KeyResponse, RunProgress } from '../messages.ts'
import type { Outbound, OutboundResult, RunOutbound } from '../outbound/outbound.ts'
import type { FailedResult, MeasuredRequest, RunRequest, ReturnedResult } from '../run.ts'
import { RunClock } from './run-clock.ts'
import { withSourcePositions } from '../source-positions.ts'
import { type ExecutionEnd, readKeyOperation, readLogLevel, returnedEnd } from './guest-reports.ts'
import { Logs } from './logs.ts'
import { REAL_TIME, type TimerHandle, type TimeSource } from './time-source.ts'
import { Timers } from './timers.ts'

/** Number of promise jobs between two clock checks. Short jobs may never reach the interrupt handler. */
const JOBS_PER_BATCH = 256

/**
 * Time after which a resumed run is reported as computing. Most runs finish or wait again sooner, and a flood of timers
 * must not cause a flood of messages.
 */
const COMPUTING_REPORT_DELAY_MS = 5

/**
 * Interval of further reports while a run computes. With these reports, the pool can give precedence to other runs
 * during a long computation.
 */
const COMPUTING_REPORT_INTERVAL_MS = 25

/**
 * Number of reports per run that are sent for console output alone, however soon they follow each other. Later output is reported at
 * intervals, so that a flood of lines does not cause a flood of messages.
 */
const PROMPT_LOG_REPORTS_MAX = 500

type Progress = Omit<RunProgress, 'token'>

type ExecutionEvents = {
  /**
   * Called when the run waits. `operations` contains new key operations for the parent process; it is empty if the run
   * waits only for earlier operations, a timer or a response.
   */
  waits(operations: KeyRequest[], progress: Progress): void
  /** Called when the run resumes computing after a wait, and at intervals while it computes. */
  computes(progress: Progress): void
  ended(result: ReturnedResult | FailedResult): void
}

type ExecutionInput = Pick<RunRequest, 'code' | 'params' | 'wallMs' | 'cpuMs'>

export class Execution {
  readonly #vm: Vm
  readonly #outbound: RunOutbound
  readonly #request: ExecutionInput
  readonly #events: ExecutionEvents
  readonly #time: TimeSource
  readonly #clock: RunClock
  readonly #logs = new Logs()
  readonly #timers: Timers
  /** IDs of the key operations for which the guest waits, and operations not yet passed to the parent process. */
  readonly #keyOperations = new Set<number>()
  #unsentOperations: KeyRequest[] = []
  readonly #requests = new Map<number, AbortController>()
  #keyOperationCount = 0
  readonly #measured: MeasuredRequest[] = []
  /** Outcome reported by the guest. The run ends when the engine returns from the current call. */
  #ending: ExecutionEnd | undefined
  #ended = false
  /**
   * True if the last report said that the run is waiting. `#enteredAt` is the time at which the guest was last entered.
   */
  #reportedWaiting = false
  #enteredAt = 0
  #reportedMs = 0
  #reportedAt = performance.now()
  #promptLogReports = 0
  #deadline: TimerHandle

  constructor(
    vm: Vm,
    outbound: Pick<Outbound, 'forRun'>,
    request: ExecutionInput,
    events: ExecutionEvents,
    time = REAL_TIME,
  ) {
    this.#vm = vm
    this.#outbound = outbound.forRun()
    this.#request = request
    this.#events = events
    this.#time = time
    this.#clock = new RunClock(request, time)
    this.#timers = new Timers((id) => this.#enter(() => this.#call('fire', [id])), time)
    vm.hooks = this.#hooks()
  }

  start(): void {
    this.#enter(() => this.#begin())
  }

  settle(id: number, answer: KeyResponse): void {
    if (!this.#keyOperations.delete(id)) return
    const json = answer.ok ? JSON.stringify(answer.value) : refusalJson(answer)
    this.#enter(() => this.#call('settle', [id, !answer.ok, json]))
  }

  #fetch(id: number, request: unknown, body: Uint8Array): undefined {
    const abort = new AbortController()
    this.#requests.set(id, abort)
    const at_ms = Math.round(this.#clock.elapsedMs())
    void this.#outbound.fetch(request, body, abort.signal).then((answer) => {
      this.#measure(at_ms, answer)
      if (!this.#requests.delete(id)) return
      this.#enter(() => {
        if (answer.ok) this.#call('settle', [id, false, JSON.stringify(answer.value), answer.bytes])
        else this.#call('settle', [id, true, refusalJson(answer)])
      })
    })
  }

  /** Measures the request for the run's trace. Nothing of its URL is kept. */
  #measure(at_ms: number, answer: OutboundResult): void {
    if (this.#measured.length >= OUTBOUND_REQUESTS_MAX) return
    const ms = Math.max(0, Math.round(this.#clock.elapsedMs()) - at_ms)
    this.#measured.push({ at_ms, ms, ...(answer.ok && { status: answer.value.status }) })
  }

  /** Stops a waiting run. A computing run cannot be stopped with this method, because it blocks the event loop. */
  stop(): void {
    this.#end({ failure: stoppedFailure() })
  }

  #begin(): void {
    const params = escapeForGuest(this.#request.params)
    if (params === undefined || !this.#call('receive', [params])) {
      if (this.#hitLimit()) return
      const message = 'the params are not valid JSON'
      this.#ending = { failure: { code: 'invalid_params', message, stack: message } }
      return
    }
    const thrown = this.#vm.evaluate(this.#request.code)
    if (thrown === undefined) this.#call('begin', [])
    else if (this.#clock.reached === undefined) this.#vm.callWith('uncaught', [thrown])
  }

  #hitLimit(): boolean {
    return this.#vm.engine.exhausted || this.#clock.reached !== undefined
  }

  #call(entry: EntryPoint, args: readonly GuestArgument[]): boolean {
    return this.#vm.call(entry, args)
  }

  /**
   * Makes a call into the guest, runs the promise jobs that the call queued, and checks whether the run has ended. All
   * calls into the guest go through this method.
   */
  #enter(call: () => void): void {
    if (this.#ended) return
    this.#enteredAt = performance.now()
    try {
      call()
      while (this.#ending === undefined && !this.#clock.isExpired() && this.#vm.hasJobs) {
        if (!this.#vm.runJobs(JOBS_PER_BATCH)) break
      }
    } catch (trap) {
      this.#vm.trapped = true
      // If a time limit was reached, the exception is not a fault: it stopped a native loop, in which the engine cannot
      // be interrupted.
      if (this.#clock.reached === undefined)
        this.#ending = { failure: trapFailure(trap, this.#vm.engine.exhausted) }
    }
    const ending = this.#outcome()
    if (ending === undefined) this.#wait()
    else this.#end(ending)
  }

  #outcome(): ExecutionEnd | undefined {
    if (this.#ending !== undefined) return this.#ending
    if (this.#clock.isExpired()) return { failure: this.#clock.failure() }
    if (this.#timers.count + this.#keyOperations.size + this.#requests.size > 0) return undefined
    if (this.#vm.engine.exhausted) return { failure: outOfMemoryFailure() }
    const message = 'main returned a promise that can no longer settle'
    return { failure: { code: 'action_pending', message, stack: message } }
  }

  /** Sets a timer for the run's deadline, because the interrupt handler does not run while the guest waits. */
  #wait(): void {
    const computedMs = this.#clock.usedCpuMs()
    // Report the CPU time, because a run that waits after each of many short computations would otherwise appear to be
    // idle.
    const isWorthReporting = computedMs - this.#reportedMs > COMPUTING_REPORT_DELAY_MS
    if (
      this.#unsentOperations.length > 0 ||
      !this.#reportedWaiting ||
      isWorthReporting ||
      this.#mustReportLogs()
    )
      this.#events.waits(this.#unsentOperations, this.#progress(computedMs))
    this.#unsentOperations = []
    this.#reportedWaiting = true
    if (this.#deadline === undefined) this.#awaitDeadline()
  }

  #mustReportLogs(): boolean {
    if (!this.#logs.hasUnreported) return false
    if (this.#promptLogReports++ < PROMPT_LOG_REPORTS_MAX) return true
    return performance.now() - this.#reportedAt > COMPUTING_REPORT_INTERVAL_MS
  }

  #progress(computedMs: number): Progress {
    this.#reportedMs = computedMs
    this.#reportedAt = performance.now()
    return { computedMs, logs: this.#logs.takeUnreported() }
  }

  #awaitDeadline(): void {
    const left = Math.max(1, Math.ceil(this.#request.wallMs - this.#clock.elapsedMs()))
    this.#deadline = this.#time.setTimeout(() => {
      if (this.#clock.isExpired()) this.#end({ failure: this.#clock.failure() })
      else this.#awaitDeadline()
    }, left)
  }

  #end(ending: ExecutionEnd): void {
    if (this.#ended) return
    this.#ended = true
    this.#timers.clear()
    this.#outbound.close()
    this.#time.clearTimeout(this.#deadline)
    const result =
      'value' in ending
        ? { kind: 'returned' as const, value: ending.value }
        : {
            kind: 'failed' as const,
            ...withSourcePositions(ending.failure, this.#request.code),
          }
    this.#events.ended({
      ...result,
      logs: this.#logs.lines,
      durationMs: this.#clock.elapsedMs(),
      cpuMs: this.#clock.usedCpuMs(),
      ...(this.#measured.length > 0 && { requests: this.#measured }),
    })
  }

  #mustStop(): boolean {
    const now = performance.now()
    const isResumed = this.#reportedWaiting && now - this.#enteredAt > COMPUTING_REPORT_DELAY_MS
    if (isResumed || now - this.#reportedAt > COMPUTING_REPORT_INTERVAL_MS) {
      this.#reportedWaiting = false
      this.#events.computes(this.#progress(this.#clock.usedCpuMs()))
    }
    return this.#clock.isExpired()
  }

  #hooks(): RunHooks {
    return {
      mustStop: () => this.#mustStop(),
      monotonicMs: () => this.#time.monotonicMs(),
      finish: (json) => {
        if (this.#clock.reached === undefined) this.#ending ??= returnedEnd(json)
      },
      fail: (code, name, message, frames) => {
        // An interrupt within a promise job appears as an ordinary error, 'interrupted'.
        if (this.#clock.reached !== undefined) return
        const thrown = { code, name, message, frames }
        this.#ending ??= { failure: thrownFailure(thrown, this.#vm.engine.exhausted) }
      },
      log: (level, text) =>
        this.#logs.add(readLogLevel(level), Math.round(this.#clock.elapsedMs()), text),
      setTimer: (id, ms) => this.#timers.set(id, ms),
      clearTimer: (id) => this.#timers.delete(id),
      operation: (id, name, argument, bytes) => {
        if (name === 'fetch') return this.#fetch(id, argument, bytes)
        const operation = readKeyOperation(name, argument)
        if (operation === undefined) return { message: 'unknown operation' }
        if (++this.#keyOperationCount > KEY_OPERATIONS_FORWARDED) return KEY_LIMIT_REFUSAL
        this.#keyOperations.add(id)
        this.#unsentOperations.push({ id, operation })
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

/**
 * Prepares JSON text for the engine, which truncates text at NUL and replaces lone surrogates. Replaces lone surrogates
 * by escape sequences. Returns undefined for a text with NUL, which is never valid in JSON.
 */
function escapeForGuest(json: string): string | undefined {
  if (json.includes('\0')) return undefined
  if (json.isWellFormed()) return json
  return json.replace(/\p{Surrogate}/gu, (half) => `\\u${half.charCodeAt(0).toString(16)}`)
}
