import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { sayWhile, STALLED_MS, stalled } from './start-progress.ts'

export type ChildOptions = {
  name: string
  command: string
  args: readonly string[]
  env?: NodeJS.ProcessEnv
  /** A Node process of ours: sends a message when it is ready, and ends when its parent does. */
  ipc: boolean
  /** What it does before it is ready, as the end of "waiting for the chain, which …". */
  starts?: string
  /** What it is asked to stop with. */
  stopSignal: NodeJS.Signals
  /** How long it is asked to stop, in milliseconds, before it is killed. */
  stopMs?: number
  /** How long it may show no progress before it is ready, in milliseconds. @default STALLED_MS */
  stalledMs?: number
  /** Each line that it writes. */
  onLine(line: string): void
  /** Called until it is ready, four times in `stalledMs`, with what is waited for. */
  onWait?: (text: string) => void
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

/** A child in a process group of its own, so that a signal reaches what it started, too. */
export class Child {
  readonly name: string
  readonly #options: ChildOptions
  readonly #process: ChildProcess
  readonly #exited: Promise<string>
  /** Its first message: listened for from the start, since nobody may be waiting yet when it comes. */
  readonly #told: Promise<unknown>
  #lastLines: string[] = []
  #lines = 0
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
        this.#lines++
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

  /** Waits as long as the child lives and makes progress. @throws {ChildFailed} */
  async #before<Value>(work: Promise<Value>): Promise<Value> {
    const { name, pid } = this
    const { starts = 'starts', stalledMs = STALLED_MS, onWait } = this.#options
    const failed = (how: string): never => {
      const lines = this.#lastLines.length > 0 ? `: ${this.#lastLines.join(' | ')}` : ''
      throw new ChildFailed(name, how + lines)
    }
    const watch = new AbortController()
    const watched = { pid, lines: () => this.#lines, stalledMs }
    const died = this.#exited.then((how) => failed(`${how} before it was ready`))
    const idle = stalled(watched, watch.signal).catch((error: Error) => failed(error.message))
    // Whichever comes second is not waited for.
    died.catch(() => {})
    idle.catch(() => {})
    try {
      return await sayWhile(
        Promise.race([work, died, idle]),
        (seconds) => onWait?.(`waiting for the ${name}, which ${starts} (${seconds} s so far)`),
        stalledMs / 4,
      )
    } finally {
      watch.abort()
    }
  }

  #signal(signal: NodeJS.Signals): void {
    try {
      process.kill(-this.pid, signal)
    } catch {
      // Nobody is left in the group.
    }
  }
}
