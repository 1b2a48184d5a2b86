import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'

export type ChildOptions = {
  name: string
  command: string
  args: readonly string[]
  env?: NodeJS.ProcessEnv
  /** A Node process of ours: tells by message that it is ready, and ends when its parent does. */
  ipc: boolean
  /** What it is asked to stop with. */
  stopSignal: NodeJS.Signals
  /** How long it is asked to stop, in milliseconds, before it is killed. */
  stopMs?: number
  /** Each line that it writes. */
  onLine(line: string): void
  started(pid: number): void
}

export class ChildFailed extends Error {
  constructor(name: string, reason: string) {
    super(`${name} ${reason}`)
    this.name = 'ChildFailed'
  }
}

/** It is asked to stop for this long, and then killed, where it does not say how long it needs. */
const STOP_MS = 5_000
const READY_MS = 60_000

/** A child in a process group of its own, so that a signal reaches what it started, too. */
export class Child {
  readonly name: string
  readonly #options: ChildOptions
  readonly #process: ChildProcess
  readonly #exited: Promise<string>
  /** Its first message: listened for from the start, since nobody may be waiting yet when it comes. */
  readonly #told: Promise<unknown>
  #lastLines: string[] = []
  #wanted = true

  constructor(options: ChildOptions) {
    this.name = options.name
    this.#options = options
    this.#process = spawn(options.command, options.args, {
      env: options.env,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe', ...(options.ipc ? (['ipc'] as const) : [])],
    })
    for (const stream of [this.#process.stdout, this.#process.stderr]) {
      if (!stream) continue
      createInterface({ input: stream }).on('line', (line) => {
        this.#lastLines = [...this.#lastLines.slice(-4), line]
        options.onLine(line)
      })
    }
    this.#exited = new Promise((resolve) => {
      this.#process.once('error', (error) => resolve(`could not be started: ${error.message}`))
      this.#process.once('exit', (code, signal) =>
        resolve(signal ? `was ended by ${signal}` : `exited with code ${code}`),
      )
    })
    this.#told = new Promise((resolve) => this.#process.once('message', resolve))
    if (this.#process.pid !== undefined) options.started(this.#process.pid)
  }

  get pid(): number {
    return this.#process.pid ?? 0
  }

  /** Calls back once when the child has ended, asked to or not. */
  onEnd(listener: () => void): void {
    void this.#exited.then(listener)
  }

  /** Calls back once if the child ends before it was asked to. */
  onDeath(listener: (error: ChildFailed) => void): void {
    void this.#exited.then((how) => {
      if (this.#wanted) listener(new ChildFailed(this.name, how))
    })
  }

  /** The `ready` message of a Node child. @throws {ChildFailed} */
  async message<Ready>(): Promise<Ready> {
    const message = (await this.#before(this.#told)) as {
      ready?: Ready
      failed?: { message: string }
    }
    if (message.ready !== undefined) return message.ready
    throw new ChildFailed(
      this.name,
      `did not start: ${message.failed?.message ?? 'no reason given'}`,
    )
  }

  /** Asks until the answer is true. @throws {ChildFailed} */
  async answers(ask: () => Promise<boolean>): Promise<void> {
    const enough = new AbortController()
    const poll = async () => {
      while (!enough.signal.aborted && !(await ask().catch(() => false))) await sleep(20)
    }
    try {
      await this.#before(poll())
    } finally {
      enough.abort()
    }
  }

  async stop(): Promise<void> {
    this.#wanted = false
    this.#signal(this.#options.stopSignal)
    const { stopMs = STOP_MS } = this.#options
    const stopped = await Promise.race([this.#exited, sleep(stopMs, undefined, { ref: false })])
    this.#signal('SIGKILL')
    if (stopped === undefined) await this.#exited
  }

  /** Ends the whole group at once, as a crash would. */
  async kill(): Promise<void> {
    this.#wanted = false
    this.#signal('SIGKILL')
    await this.#exited
  }

  async #before<Value>(work: Promise<Value>): Promise<Value> {
    const died = this.#exited.then((how): never => {
      const lines = this.#lastLines.length > 0 ? `: ${this.#lastLines.join(' | ')}` : ''
      throw new ChildFailed(this.name, `${how} before it was ready${lines}`)
    })
    const late = sleep(READY_MS, undefined, { ref: false }).then((): never => {
      throw new ChildFailed(this.name, `was not ready within ${READY_MS / 1000} s`)
    })
    died.catch(() => {})
    late.catch(() => {})
    return Promise.race([work, died, late])
  }

  #signal(signal: NodeJS.Signals): void {
    try {
      process.kill(-this.pid, signal)
    } catch {
      // Nobody is left in the group.
    }
  }
}
