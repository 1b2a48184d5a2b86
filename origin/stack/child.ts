import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { reportWhile, STALLED_MS, rejectIfStalled } from './start-progress.ts'

export type ChildOptions = {
  name: string
  command: string
  args: readonly string[]
  env?: NodeJS.ProcessEnv
  /**
   * True for a Node process of this project, which sends a message when it is ready, and exits when its parent exits.
   */
  ipc: boolean
  /** Phrase that completes the sentence "waiting for the chain, which is …". */
  starts?: string
  stopSignal: NodeJS.Signals
  /**
   * Time between `stopSignal` and the kill, in milliseconds.
   * @default STOP_MS
   */
  stopMs?: number
  /**
   * Time without progress after which a startup is considered stalled, in milliseconds.
   * @default STALLED_MS
   */
  stalledMs?: number
  onLine(line: string): void
  /** Called four times per `stalledMs` while the child is starting. */
  onWait?: (text: string) => void
  started(pid: number): void
}

export class ChildFailedError extends Error {
  constructor(name: string, reason: string) {
    super(`${name} ${reason}`)
    this.name = 'ChildFailedError'
  }
}

export const STOP_MS = 5_000

/** Child process of the stack. It has its own process group, so that signals also reach the child's descendants. */
export class Child {
  readonly name: string
  readonly #options: ChildOptions
  readonly #process: ChildProcess
  readonly #exited: Promise<string>
  /**
   * First message of the child. The listener is added immediately, because the message may arrive before a caller waits
   * for it.
   */
  readonly #firstMessage: Promise<unknown>
  #lastLines: string[] = []
  #lines = 0
  #shouldRun = true

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
        resolve(signal ? `was terminated by ${signal}` : `exited with code ${code}`),
      )
    })
    this.#firstMessage = new Promise((resolve) => this.#process.once('message', resolve))
    if (this.#process.pid !== undefined) options.started(this.#process.pid)
  }

  get pid(): number {
    return this.#process.pid ?? 0
  }

  onExit(listener: () => void): void {
    void this.#exited.then(listener)
  }

  onUnexpectedExit(listener: (error: ChildFailedError) => void): void {
    void this.#exited.then((how) => {
      if (this.#shouldRun) listener(new ChildFailedError(this.name, how))
    })
  }

  /** @throws {ChildFailedError} */
  async waitForReady<Ready>(): Promise<Ready> {
    const message = (await this.#unlessFailed(this.#firstMessage)) as {
      ready?: Ready
      failed?: { message: string }
    }
    if (message.ready !== undefined) return message.ready
    throw new ChildFailedError(
      this.name,
      `failed to start: ${message.failed?.message ?? 'unknown reason'}`,
    )
  }

  /** @throws {ChildFailedError} */
  async pollUntilReady(probe: () => Promise<boolean>): Promise<void> {
    const polling = new AbortController()
    const poll = async () => {
      while (!polling.signal.aborted && !(await probe().catch(() => false))) await sleep(20)
    }
    try {
      await this.#unlessFailed(poll())
    } finally {
      polling.abort()
    }
  }

  /** @returns how the process ended, such as "exited with code 0" */
  async stop(): Promise<string> {
    this.#shouldRun = false
    this.#signal(this.#options.stopSignal)
    const { stopMs = STOP_MS } = this.#options
    const stopped = await Promise.race([this.#exited, sleep(stopMs, undefined, { ref: false })])
    this.#signal('SIGKILL')
    return stopped ?? this.#exited
  }

  /** Kills the whole process group, to simulate a crash. */
  async kill(): Promise<void> {
    this.#shouldRun = false
    this.#signal('SIGKILL')
    await this.#exited
  }

  /** @throws {ChildFailedError} if the child exits or stalls before `work` finishes */
  async #unlessFailed<Value>(work: Promise<Value>): Promise<Value> {
    const { name, pid } = this
    const { starts = 'starts', stalledMs = STALLED_MS, onWait } = this.#options
    const failed = (how: string): never => {
      const lines = this.#lastLines.length > 0 ? `: ${this.#lastLines.join(' | ')}` : ''
      throw new ChildFailedError(name, how + lines)
    }
    const watch = new AbortController()
    const watched = { pid, lines: () => this.#lines, stalledMs }
    const died = this.#exited.then((how) => failed(`${how} before it was ready`))
    const idle = rejectIfStalled(watched, watch.signal).catch((error: Error) =>
      failed(error.message),
    )
    // Prevents unhandled rejections of the promises that lose the race.
    died.catch(() => {})
    idle.catch(() => {})
    try {
      return await reportWhile(
        Promise.race([work, died, idle]),
        (seconds) => onWait?.(`waiting for the ${name}, which is ${starts} (${seconds} s so far)`),
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
      // The process group has no remaining processes.
    }
  }
}
