import { type ExecutorEnd, ExecutorProcess } from './executor-process.ts'
import { PooledExecutor } from './pooled-executor.ts'
import type { ActionPoolOptions } from './options.ts'
import {
  FAILED_START_BACKOFF_MS,
  FAILED_STARTS_MAX,
  RSS_MAX_BYTES,
  STARTING_MAX,
} from './options.ts'
import type { TemplateFile } from './template.ts'

type SupervisorListener = {
  onFree(member: PooledExecutor): void
  onRunChanged(member: PooledExecutor): void
  /** Called when an executor has exited. If it was executing a run, the run is lost. */
  onExited(member: PooledExecutor): void
  onRetry(): void
  /** Called when no executor can be started. `forGood` is true if retrying is pointless. */
  onBroken(reason: string, forGood: boolean): void
}

/**
 * Keeps a minimum number of executors running, and one spare executor while runs are active. Replaces worn executors,
 * and stops idle ones.
 */
export class ExecutorSupervisor {
  readonly #options: Required<ActionPoolOptions>
  readonly #listener: SupervisorListener
  readonly #executors = new Set<PooledExecutor>()
  /**
   * Free executors. The most recently used executor is last and gets the next run, so that the others become idle and
   * are stopped.
   */
  readonly #free: PooledExecutor[] = []
  readonly #ready = Promise.withResolvers<void>()
  readonly #empty = Promise.withResolvers<void>()
  readonly #templateLoaded: Promise<void>
  #template: TemplateFile | undefined
  #failedStarts = 0
  #retryAt = 0
  #isRetryScheduled = false
  #closed = false

  constructor(options: Required<ActionPoolOptions>, listener: SupervisorListener) {
    this.#options = options
    this.#listener = listener
    // Prevents an unhandled rejection if no caller waits until the executors are ready.
    this.#ready.promise.catch(() => {})
    if (options.min === 0) this.#ready.resolve()
    this.#templateLoaded = this.#loadTemplate()
  }

  get ready(): Promise<void> {
    return this.#ready.promise
  }

  get free(): number {
    return this.#free.length
  }

  counts(): { starting: number; free: number; busy: number } {
    const counts = { starting: 0, free: this.#free.length, busy: 0 }
    for (const { executor, occupation } of this.#executors) {
      if (occupation !== undefined) counts.busy++
      else if (executor.state === 'starting') counts.starting++
    }
    return counts
  }

  /** True if the most recent starts have failed and no executor is left to serve runs. */
  get isBroken(): boolean {
    if (this.#failedStarts < FAILED_STARTS_MAX) return false
    for (const { served, leaving } of this.#executors) if (served && !leaving) return false
    return true
  }

  take(): PooledExecutor | undefined {
    const member = this.#free.pop()
    clearTimeout(member?.idle)
    return member
  }

  /**
   * Starts executors to reach the minimum, to serve queued runs, and to keep one spare while runs are active.
   * @param wanted queued runs that could start now
   */
  scale(wanted: number): void {
    const template = this.#template
    if (this.#closed || template === undefined) return
    // After repeated failures, only a queued run justifies another start.
    if (this.#failedStarts >= FAILED_STARTS_MAX && wanted === 0) return
    if (performance.now() < this.#retryAt) return this.#scheduleRetry()
    let count = 0
    let starting = 0
    let running = 0
    for (const { leaving, executor } of this.#executors) {
      if (leaving) continue
      count++
      if (executor.state === 'starting') starting++
      if (executor.state === 'running') running++
    }
    const { min, max } = this.#options
    const spare = running + wanted > 0 ? 1 : 0
    const needed = wanted + spare - this.#free.length - starting
    const more = Math.max(min - count, Math.min(needed, max - count))
    for (let n = Math.min(more, STARTING_MAX - starting); n > 0; n--) {
      if (this.#start(template) === undefined) return
      starting++
      count++
    }
    this.#replaceWorn(template, starting, count)
  }

  async close(): Promise<void> {
    this.#closed = true
    for (const member of this.#executors) this.#stopExecutor(member, 'the pool is closed')
    if (this.#executors.size === 0) this.#empty.resolve()
    await this.#empty.promise
    await this.#templateLoaded
    this.#template?.close()
  }

  async #loadTemplate(): Promise<void> {
    try {
      this.#template = await this.#options.template
      this.scale(0)
    } catch (error) {
      this.#break(error instanceof Error ? error.message : 'the template cannot be built', true)
    }
  }

  /** Returns undefined if the system cannot create a process. */
  #start(template: TemplateFile): PooledExecutor | undefined {
    const member = new PooledExecutor(performance.now())
    try {
      const executor = new ExecutorProcess(template, this.#options.outbound, {
        onFree: () => this.#becameFree(member),
        changed: () => this.#listener.onRunChanged(member),
        due: () => member.priority.restore(),
        onEnded: (end) => this.#ended(member, end),
      })
      member.attach(executor)
    } catch (error) {
      this.#startFailed(error instanceof Error ? error.message : 'unknown')
      this.#scheduleRetry()
      return undefined
    }
    this.#executors.add(member)
    return member
  }

  /** If no executor is left, no other event would start the queued runs. */
  #scheduleRetry(): void {
    if (this.#isRetryScheduled) return
    this.#isRetryScheduled = true
    setTimeout(() => {
      this.#isRetryScheduled = false
      if (!this.#closed) this.#listener.onRetry()
    }, FAILED_START_BACKOFF_MS).unref()
  }

  #becameFree(member: PooledExecutor): void {
    if (!member.served) this.#becameReady(member)
    if (!member.leaving) {
      if (member.replacement?.served === true) this.#stopExecutor(member, 'replaced')
      else {
        member.idle = setTimeout(() => this.#becameIdle(member), this.#options.idleMs).unref()
        // Put an executor with a priority that can no longer be raised first, so that it is used last.
        if (member.priority.isStuckLow) this.#free.unshift(member)
        else this.#free.push(member)
      }
    }
    this.#listener.onFree(member)
  }

  #replaceWorn(template: TemplateFile, starting: number, count: number): void {
    for (const member of this.#free.slice()) {
      if (starting >= STARTING_MAX) return
      if (member.replacement !== undefined || !this.#isWorn(member)) continue
      if (count >= this.#options.max) this.#stopExecutor(member, 'replaced')
      member.replacement = this.#start(template)
      if (member.replacement === undefined) return
      starting++
      if (!member.leaving) count++
    }
  }

  #becameReady(member: PooledExecutor): void {
    member.served = true
    this.#failedStarts = 0
    const startMs = performance.now() - member.startedAt
    this.#options.onEvent({ type: 'executor_ready', pid: member.executor.pid, startMs })
    let servedCount = 0
    for (const { served } of this.#executors) if (served) servedCount++
    if (servedCount >= this.#options.min) this.#ready.resolve()
    for (const worn of this.#executors) {
      if (worn.replacement === member && this.#free.includes(worn)) {
        this.#stopExecutor(worn, 'replaced')
      }
    }
  }

  /**
   * A worn executor continues to serve runs until its replacement is ready, so that no run waits for a process to
   * start.
   */
  #isWorn({ executor, priority }: PooledExecutor): boolean {
    if (priority.isStuckLow) return true
    return executor.runs >= this.#options.runsPerExecutor || executor.rssBytes >= RSS_MAX_BYTES
  }

  /**
   * Stops an idle executor if there are more than the minimum, unless it is the only free executor while runs are
   * active.
   */
  #becameIdle(member: PooledExecutor): void {
    let count = 0
    let running = 0
    for (const { leaving, occupation } of this.#executors) {
      if (leaving) continue
      count++
      if (occupation !== undefined) running++
    }
    if (count <= this.#options.min) return
    if (this.#free.length > 1 || running === 0) return this.#stopExecutor(member, 'idle')
    member.idle = setTimeout(() => this.#becameIdle(member), this.#options.idleMs).unref()
  }

  #stopExecutor(member: PooledExecutor, reason: string): void {
    if (member.leaving) return
    member.leaving = true
    this.#removeFree(member)
    member.executor.kill(reason)
  }

  #removeFree(member: PooledExecutor): void {
    clearTimeout(member.idle)
    const at = this.#free.indexOf(member)
    if (at >= 0) this.#free.splice(at, 1)
  }

  #ended(member: PooledExecutor, end: ExecutorEnd): void {
    this.#removeFree(member)
    this.#executors.delete(member)
    for (const other of this.#executors) {
      if (other.replacement === member) other.replacement = undefined
    }
    const { pid, runs } = member.executor
    this.#options.onEvent({ type: 'executor_ended', pid, runs, ...end })
    if (this.#closed && this.#executors.size === 0) this.#empty.resolve()
    if (!this.#closed && !member.served) this.#startFailed(`${end.reason} ${end.stderr}`)
    this.#listener.onExited(member)
  }

  /**
   * Handles a failed start. After repeated failures, delays the next start, and lets queued runs fail if no executor is
   * left to serve them.
   */
  #startFailed(reason: string): void {
    if (++this.#failedStarts < FAILED_STARTS_MAX) return
    this.#retryAt = performance.now() + FAILED_START_BACKOFF_MS
    for (const { served, leaving } of this.#executors) if (served && !leaving) return
    this.#break(reason, false)
  }

  #break(reason: string, forGood: boolean): void {
    this.#ready.reject(new Error(`executors cannot be started: ${reason}`))
    this.#listener.onBroken('executors cannot be started', forGood)
  }
}
