import { type ChildProcess, fork } from 'node:child_process'
import { type ActionFailure, stoppedFailure, timeoutFailure } from '../failure.ts'
import { executorFiles, sandboxedForkOptions } from './fork.ts'
import { KeyGate } from './key-gate.ts'
import { type KeyRequest, type MessageToExecutor, parseExecutorMessage } from '../messages.ts'
import type { Capability, RunControl, RunRequest, ActionResult } from '../run.ts'
import type { LogLine } from '../../../shared/wire/log-line.ts'
import { ReportedLogs } from './reported-logs.ts'
import type { OutboundPolicy } from '../outbound/policy.ts'
import type { TemplateFile } from './template.ts'

/**
 * Grace period after a run's deadline. An executor that still checks the clock responds within milliseconds. An
 * executor that is stuck in a native loop never responds and is killed.
 */
const WATCHDOG_GRACE_MS = 2_000

/**
 * Time from a `stop` message until the executor is killed. The executor receives the message only while its action
 * waits.
 */
const STOP_GRACE_MS = 200

/** A start normally takes a tenth of a second. */
const READINESS_MAX_MS = 30_000

/** Number of characters of standard error that are stored, to explain why an executor exited. */
const STDERR_CHARACTERS = 2000

export type ExecutorEnd = { reason: string; stderr: string }

type ProcessListener = {
  /** Called when the executor can take a run, because it has just started or has finished a run. */
  onFree(): void
  changed?(): void
  /** Called when the run has reached its deadline but has not ended. The executor needs CPU time to end it. */
  due?(): void
  onEnded(end: ExecutorEnd): void
}

type ActiveRun = {
  gate: KeyGate
  logs: ReportedLogs
  printed: RunControl['printed']
  startedAt: number
  watchdog: NodeJS.Timeout
  finish(result: ActionResult): void
}

/** Validates all messages from the executor. */
export class ExecutorProcess {
  state: 'starting' | 'ready' | 'running' | 'ended' = 'starting'
  /**
   * Last reported state of the run: true if the run uses the CPU; false if it waits for a key, a timer or a response.
   */
  computing = false
  computedMs = 0
  /** Number of runs that the executor was assigned, and its last reported memory size. */
  runs = 0
  rssBytes = 0
  readonly #child: ChildProcess
  readonly #listener: ProcessListener
  #active: ActiveRun | undefined
  #stderr = ''
  /** Reason why this process killed the executor, or undefined if it did not. */
  #killReason: string | undefined
  #hasExited = false
  #readiness: NodeJS.Timeout | undefined

  /** @param files module to run, and files that it reads. Tests pass other modules. */
  constructor(
    { fd, digest }: TemplateFile,
    outbound: OutboundPolicy,
    listener: ProcessListener,
    files = executorFiles(),
  ) {
    this.#listener = listener
    this.#child = fork(files[0], [digest], sandboxedForkOptions(fd, files))
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-STDERR_CHARACTERS)
    })
    this.#child.on('message', (message) => this.#receive(message))
    this.#child.on('error', () => this.kill('could not be started'))
    this.#child.on('exit', (code, signal) => {
      const how = signal === null ? `exit code ${code}` : `signal ${signal}`
      // The pipe may still contain messages that the executor sent before it exited.
      if (this.#child.connected) this.#child.once('disconnect', () => this.#exited(how))
      else this.#exited(how)
    })
    this.#send({ type: 'start', outbound })
    this.#awaitReadiness()
  }

  get pid(): number | undefined {
    return this.#child.pid
  }

  /**
   * Must be called only while the state is `ready`. From this call on, the run counts as started, because its code may
   * be executed at any moment.
   */
  run(request: RunRequest, capability: Capability, control?: RunControl): Promise<ActionResult> {
    this.state = 'running'
    this.computing = true
    this.computedMs = 0
    this.runs++
    const gate = new KeyGate(capability)
    return new Promise((resolve) => {
      const watchdog = setTimeout(() => this.#deadlineReached(gate, request.wallMs), request.wallMs)
      const startedAt = performance.now()
      const logs = new ReportedLogs()
      const printed = control?.printed
      this.#active = { gate, logs, printed, startedAt, watchdog, finish: resolve }
      const { code, params, wallMs, cpuMs } = request
      this.#send({ type: 'run', token: gate.token, code, params, wallMs, cpuMs })
      control?.signal.addEventListener('abort', () => this.#stop(gate), { once: true })
      control?.started()
    })
  }

  kill(reason: string): void {
    this.#killReason ??= reason
    if (this.#child.pid === undefined) this.#exited(reason)
    else this.#child.kill('SIGKILL')
  }

  #send(message: MessageToExecutor): void {
    // Errors are ignored, because the exit event reports a process that has exited. A process that never started has no
    // channel.
    if (this.#child.connected) this.#child.send(message, () => {})
  }

  #receive(value: unknown): void {
    if (this.state === 'ended' || this.#killReason !== undefined) return
    const message = parseExecutorMessage(value)
    if (message === undefined) return this.kill('sent an invalid message')
    switch (message.type) {
      case 'ready':
        return this.#started(message.rssBytes)
      case 'ended':
        if (message.token !== this.#active?.gate.token) return
        this.rssBytes = message.rssBytes
        this.computedMs = message.result.cpuMs ?? 0
        return this.#finish(message.result, 'ready')
      case 'waits':
      case 'computes':
        if (message.token !== this.#active?.gate.token) return
        this.computing = message.type === 'computes'
        this.computedMs = message.computedMs
        if (message.logs && !this.#addLogs(this.#active, message.logs)) return
        if (message.type === 'waits') {
          for (const asked of message.operations) void this.#keyOperation(this.#active, asked)
        }
        this.#listener.changed?.()
    }
  }

  #started(rssBytes: number): void {
    if (this.state !== 'starting') return
    clearTimeout(this.#readiness)
    this.state = 'ready'
    this.rssBytes = rssBytes
    this.#listener.onFree()
  }

  #addLogs({ logs, printed }: ActiveRun, lines: readonly LogLine[]): boolean {
    const isAllowed = logs.add(lines)
    if (isAllowed) printed?.(lines)
    else this.kill('sent more console output than an executor may')
    return isAllowed
  }

  async #keyOperation({ gate }: ActiveRun, { id, operation }: KeyRequest): Promise<void> {
    const asked = gate.request(operation)
    if (gate.isFlooded()) this.kill('requested more key operations than an executor may')
    const answer = await asked
    if (answer === undefined) return
    this.#send({ type: 'key_answer', token: gate.token, id, answer })
  }

  #deadlineReached(gate: KeyGate, wallMs: number): void {
    const active = this.#active
    if (active?.gate !== gate) return
    this.#listener.due?.()
    // `setImmediate` runs after the poll phase, so that a result already in the pipe is read first.
    const overdue = () => setImmediate(() => this.#overdue(gate, wallMs))
    active.watchdog = setTimeout(overdue, WATCHDOG_GRACE_MS)
  }

  #overdue(gate: KeyGate, wallMs: number): void {
    const failure = timeoutFailure(`${wallMs / 1000} s of time, in a built-in that does not return`)
    this.#killStuck(gate, 'exceeded the deadline', failure)
  }

  #stop(gate: KeyGate): void {
    if (this.#active?.gate !== gate) return
    this.#send({ type: 'stop', token: gate.token })
    setTimeout(() => this.#killStuck(gate, 'was stopped', stoppedFailure()), STOP_GRACE_MS)
  }

  #killStuck(gate: KeyGate, why: string, failure: ActionFailure): void {
    const active = this.#active
    if (active?.gate !== gate) return
    const durationMs = performance.now() - active.startedAt
    this.kill(`its run ${why} and it did not respond`)
    const logs = active.logs.lines
    this.#finish({ kind: 'failed', ...failure, logs, durationMs }, 'ended')
  }

  #finish(result: ActionResult, state: 'ready' | 'ended'): void {
    const active = this.#active
    if (active === undefined) return
    this.#active = undefined
    this.state = state
    this.computing = false
    active.gate.close()
    clearTimeout(active.watchdog)
    active.finish(result)
    if (state === 'ready') this.#listener.onFree()
  }

  #exited(how: string): void {
    if (this.#hasExited) return
    this.#hasExited = true
    clearTimeout(this.#readiness)
    const reason = this.#killReason ?? how
    this.#finish({ kind: 'lost', reason: `the executor exited: ${reason}`, started: true }, 'ended')
    this.state = 'ended'
    this.#listener.onEnded({ reason, stderr: this.#stderr })
  }

  #awaitReadiness(): void {
    this.#readiness = setTimeout(() => this.kill('did not become ready'), READINESS_MAX_MS)
  }
}
