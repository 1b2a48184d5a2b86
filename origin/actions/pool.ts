import type { ExecutorEnd } from './pool/executor-process.ts'
import { ExecutorProcess } from './pool/executor-process.ts'
import type { ActionPoolOptions } from './pool/options.ts'
import {
  FAILED_STARTS_MAX,
  RSS_MAX_BYTES,
  STARTING_MAX,
  WAITING_BYTES_MAX,
  WAITING_MAX,
  withDefaults,
} from './pool/options.ts'
import type { ActionPool, Capability, RunControl, RunLost, RunRequest, RunResult } from './run.ts'

export type { ActionPoolOptions, PoolEvent } from './pool/options.ts'

/** The pool of executors of one origin process. */
export function createActionPool(options: ActionPoolOptions = {}): ActionPool {
  return new Pool(options)
}

type Waiting = {
  request: RunRequest
  capability: Capability
  control: RunControl | undefined
  resolve: (result: RunResult) => void
}

class Member {
  executor!: ExecutorProcess
  readonly startedAt = performance.now()
  served = false
  /** Told to end; it no longer counts. */
  leaving = false
  replacement: Member | undefined
  idle: NodeJS.Timeout | undefined
}

class Pool implements ActionPool {
  readonly #options: Required<ActionPoolOptions>
  readonly #members = new Set<Member>()
  /** Those that can take a run, the one used last at the end: the others grow idle and are ended. */
  readonly #free: Member[] = []
  readonly #waiting: Waiting[] = []
  #waitingBytes = 0
  readonly #ready = Promise.withResolvers<void>()
  readonly #empty = Promise.withResolvers<void>()
  #failedStarts = 0
  #closed = false

  constructor(options: ActionPoolOptions) {
    this.#options = withDefaults(options)
    // A caller that never asks for readiness must not be ended by an unhandled rejection.
    this.#ready.promise.catch(() => {})
    if (this.#options.min === 0) this.#ready.resolve()
    this.#staff()
  }

  ready(): Promise<void> {
    return this.#ready.promise
  }

  run(request: RunRequest, capability: Capability, control?: RunControl): Promise<RunResult> {
    if (this.#closed) return Promise.resolve(notStarted('the pool is closed'))
    if (control?.signal.aborted) return Promise.resolve(notStarted('it was stopped'))
    const bytes = request.code.length + request.params.length
    if (this.#waiting.length >= WAITING_MAX || this.#waitingBytes + bytes > WAITING_BYTES_MAX)
      return Promise.resolve({ ...notStarted('too many runs are waiting'), full: true })
    return new Promise((resolve) => {
      const waiting = { request, capability, control, resolve }
      this.#waiting.push(waiting)
      this.#waitingBytes += bytes
      control?.signal.addEventListener('abort', () => this.#giveUpOne(waiting), { once: true })
      this.#serve()
    })
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#giveUp('the pool is closed')
    for (const member of this.#members) this.#dismiss(member, 'the pool is closed')
    if (this.#members.size === 0) this.#empty.resolve()
    await this.#empty.promise
  }

  #serve(): void {
    while (this.#waiting.length > 0) {
      const member = this.#free.pop()
      if (member === undefined) break
      clearTimeout(member.idle)
      const next = this.#waiting.shift()
      if (next === undefined) break
      this.#waitingBytes -= next.request.code.length + next.request.params.length
      void this.#runOn(member, next)
    }
    this.#staff()
  }

  async #runOn({ executor }: Member, waiting: Waiting): Promise<void> {
    const { request, capability, control, resolve } = waiting
    resolve(await executor.run(request, capability, control))
    this.#staff()
  }

  /** Starts executors: up to the minimum, and for runs that no free or soon free executor will take. */
  #staff(): void {
    if (this.#closed) return
    const members = [...this.#members].filter((member) => !member.leaving)
    const starting = members.filter(({ executor }) => executor.state === 'starting').length
    const coming =
      starting + members.filter(({ executor }) => executor.state === 'preparing').length
    const { min, max } = this.#options
    const forWaiting = Math.min(this.#waiting.length - coming, max - members.length)
    const wanted = Math.max(min - members.length, forWaiting)
    for (let more = Math.min(wanted, STARTING_MAX - starting); more > 0; more--) this.#start()
  }

  #start(): Member {
    const member = new Member()
    member.executor = new ExecutorProcess({
      ready: () => this.#becameFree(member),
      ended: (end) => this.#ended(member, end),
    })
    this.#members.add(member)
    return member
  }

  #becameFree(member: Member): void {
    if (!member.served) this.#joined(member)
    if (member.leaving) return
    if (member.replacement?.served === true) return this.#dismiss(member, 'it was replaced')
    if (this.#isWorn(member) && member.replacement === undefined) member.replacement = this.#start()
    member.idle = setTimeout(() => this.#grewIdle(member), this.#options.idleMs).unref()
    this.#free.push(member)
    this.#serve()
  }

  #joined(member: Member): void {
    member.served = true
    this.#failedStarts = 0
    const startMs = performance.now() - member.startedAt
    this.#options.onEvent({ type: 'executor_ready', pid: member.executor.pid, startMs })
    const joined = [...this.#members].filter(({ served }) => served).length
    if (joined >= this.#options.min) this.#ready.resolve()
    for (const worn of this.#members) {
      if (worn.replacement === member && this.#free.includes(worn)) {
        this.#dismiss(worn, 'it was replaced')
      }
    }
  }

  /** A worn executor serves until its replacement is ready, so that no run waits for a start. */
  #isWorn({ executor }: Member): boolean {
    return executor.runs >= this.#options.runsPerExecutor || executor.rssBytes >= RSS_MAX_BYTES
  }

  #grewIdle(member: Member): void {
    const members = [...this.#members].filter(({ leaving }) => !leaving)
    if (members.length > this.#options.min) this.#dismiss(member, 'it was idle')
  }

  #dismiss(member: Member, reason: string): void {
    if (member.leaving) return
    member.leaving = true
    this.#forget(member)
    member.executor.kill(reason)
  }

  #forget(member: Member): void {
    clearTimeout(member.idle)
    const at = this.#free.indexOf(member)
    if (at >= 0) this.#free.splice(at, 1)
  }

  #ended(member: Member, end: ExecutorEnd): void {
    this.#forget(member)
    this.#members.delete(member)
    for (const other of this.#members) {
      if (other.replacement === member) other.replacement = undefined
    }
    const { pid, runs } = member.executor
    this.#options.onEvent({ type: 'executor_ended', pid, runs, ...end })
    if (this.#closed) {
      if (this.#members.size === 0) this.#empty.resolve()
      return
    }
    if (!member.served && ++this.#failedStarts >= FAILED_STARTS_MAX) {
      this.#ready.reject(new Error(`executors cannot be started: ${end.reason} ${end.stderr}`))
      return this.#giveUp('executors cannot be started')
    }
    this.#serve()
  }

  #giveUpOne(waiting: Waiting): void {
    const at = this.#waiting.indexOf(waiting)
    if (at < 0) return
    this.#waiting.splice(at, 1)
    this.#waitingBytes -= waiting.request.code.length + waiting.request.params.length
    waiting.resolve(notStarted('it was stopped'))
  }

  #giveUp(reason: string): void {
    this.#waitingBytes = 0
    for (const { resolve } of this.#waiting.splice(0)) resolve(notStarted(reason))
  }
}

function notStarted(reason: string): RunLost {
  return { kind: 'lost', reason, started: false }
}
