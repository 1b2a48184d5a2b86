import type { ExecutorEnd } from './executor-process.ts'
import { ExecutorProcess } from './executor-process.ts'
import { Member } from './member.ts'
import type { ActionPoolOptions } from './options.ts'
import { FAILED_START_PAUSE_MS, FAILED_STARTS_MAX, RSS_MAX_BYTES, STARTING_MAX } from './options.ts'
import type { TemplateFile } from './template.ts'

type Listener = {
  /** An executor can take a run, because it has just started or has finished one. */
  free(member: Member): void
  /** The run changed between computing and waiting. */
  changed(member: Member): void
  /** The executor has exited. A run that it was executing is lost. */
  gone(member: Member): void
  /** Starting executors may be retried after a failure. */
  again(): void
  /** No executor can be started. `forGood` is true if retrying is pointless. */
  broken(reason: string, forGood: boolean): void
}

/**
 * Keeps a minimum number of executors warm and one spare while runs are active, replaces worn ones, and stops idle
 * ones.
 */
export class Crew {
  readonly #options: Required<ActionPoolOptions>
  readonly #listener: Listener
  readonly #members = new Set<Member>()
  /** The most recently used executor is last and gets the next run, so that the others become idle and are stopped. */
  readonly #free: Member[] = []
  readonly #ready = Promise.withResolvers<void>()
  readonly #empty = Promise.withResolvers<void>()
  readonly #templateMade: Promise<void>
  #template: TemplateFile | undefined
  #failedStarts = 0
  #notBefore = 0
  #isToLookAgain = false
  #closed = false

  constructor(options: Required<ActionPoolOptions>, listener: Listener) {
    this.#options = options
    this.#listener = listener
    // Prevents an unhandled rejection if no caller waits for readiness.
    this.#ready.promise.catch(() => {})
    if (options.min === 0) this.#ready.resolve()
    this.#templateMade = this.#makeTemplate()
  }

  get ready(): Promise<void> {
    return this.#ready.promise
  }

  get free(): number {
    return this.#free.length
  }

  get members(): Iterable<Member> {
    return this.#members
  }

  counts(): { starting: number; free: number; busy: number } {
    const counts = { starting: 0, free: this.#free.length, busy: 0 }
    for (const { executor, occupation } of this.#members) {
      if (occupation !== undefined) counts.busy++
      else if (executor.state === 'starting') counts.starting++
    }
    return counts
  }

  /** True if the most recent starts have failed and no executor is left to serve runs. */
  get isBroken(): boolean {
    if (this.#failedStarts < FAILED_STARTS_MAX) return false
    for (const { served, leaving } of this.#members) if (served && !leaving) return false
    return true
  }

  take(): Member | undefined {
    const member = this.#free.pop()
    clearTimeout(member?.idle)
    return member
  }

  /**
   * Starts executors to reach the minimum, to serve queued runs, and to keep one spare while runs are active.
   * @param wanted queued runs that could start now
   */
  staff(wanted: number): void {
    const template = this.#template
    if (this.#closed || template === undefined) return
    // After repeated failures, only a queued run justifies another start.
    if (this.#failedStarts >= FAILED_STARTS_MAX && wanted === 0) return
    if (performance.now() < this.#notBefore) return this.#lookAgain()
    let count = 0
    let starting = 0
    let running = 0
    for (const { leaving, executor } of this.#members) {
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
    for (const member of this.#members) this.#dismiss(member, 'the pool is closed')
    if (this.#members.size === 0) this.#empty.resolve()
    await this.#empty.promise
    await this.#templateMade
    this.#template?.close()
  }

  async #makeTemplate(): Promise<void> {
    try {
      this.#template = await this.#options.template
      this.staff(0)
    } catch (error) {
      this.#break(error instanceof Error ? error.message : 'the template cannot be built', true)
    }
  }

  /** Returns undefined if the system cannot create a process. */
  #start(template: TemplateFile): Member | undefined {
    const member = new Member(performance.now())
    try {
      const executor = new ExecutorProcess(template, this.#options.outbound, {
        free: () => this.#becameFree(member),
        changed: () => this.#listener.changed(member),
        due: () => member.priority.restore(),
        ended: (end) => this.#ended(member, end),
      })
      member.attach(executor)
    } catch (error) {
      this.#startFailed(error instanceof Error ? error.message : 'unknown')
      this.#lookAgain()
      return undefined
    }
    this.#members.add(member)
    return member
  }

  /** Retries starting executors. If there is no executor, no other event would start the queued runs. */
  #lookAgain(): void {
    if (this.#isToLookAgain) return
    this.#isToLookAgain = true
    setTimeout(() => {
      this.#isToLookAgain = false
      if (!this.#closed) this.#listener.again()
    }, FAILED_START_PAUSE_MS).unref()
  }

  #becameFree(member: Member): void {
    if (!member.served) this.#joined(member)
    if (!member.leaving) {
      if (member.replacement?.served === true) this.#dismiss(member, 'replaced')
      else {
        member.idle = setTimeout(() => this.#grewIdle(member), this.#options.idleMs).unref()
        // An executor with a priority that can no longer be raised is taken last.
        if (member.priority.isSpent) this.#free.unshift(member)
        else this.#free.push(member)
      }
    }
    this.#listener.free(member)
  }

  /** Replaces free worn executors, within the limits on concurrent starts and on the total number. */
  #replaceWorn(template: TemplateFile, starting: number, count: number): void {
    for (const member of this.#free.slice()) {
      if (starting >= STARTING_MAX) return
      if (member.replacement !== undefined || !this.#isWorn(member)) continue
      if (count >= this.#options.max) this.#dismiss(member, 'replaced')
      member.replacement = this.#start(template)
      if (member.replacement === undefined) return
      starting++
      if (!member.leaving) count++
    }
  }

  #joined(member: Member): void {
    member.served = true
    this.#failedStarts = 0
    const startMs = performance.now() - member.startedAt
    this.#options.onEvent({ type: 'executor_ready', pid: member.executor.pid, startMs })
    let joined = 0
    for (const { served } of this.#members) if (served) joined++
    if (joined >= this.#options.min) this.#ready.resolve()
    for (const worn of this.#members) {
      if (worn.replacement === member && this.#free.includes(worn)) {
        this.#dismiss(worn, 'replaced')
      }
    }
  }

  /**
   * A worn executor continues to serve runs until its replacement is ready, so that no run waits for a process to
   * start.
   */
  #isWorn({ executor, priority }: Member): boolean {
    if (priority.isSpent) return true
    return executor.runs >= this.#options.runsPerExecutor || executor.rssBytes >= RSS_MAX_BYTES
  }

  /** Stops the executor if there are more than the minimum, unless it is the only free one while runs are active. */
  #grewIdle(member: Member): void {
    let count = 0
    let running = 0
    for (const { leaving, occupation } of this.#members) {
      if (leaving) continue
      count++
      if (occupation !== undefined) running++
    }
    if (count <= this.#options.min) return
    if (this.#free.length > 1 || running === 0) return this.#dismiss(member, 'idle')
    member.idle = setTimeout(() => this.#grewIdle(member), this.#options.idleMs).unref()
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
    if (this.#closed && this.#members.size === 0) this.#empty.resolve()
    if (!this.#closed && !member.served) this.#startFailed(`${end.reason} ${end.stderr}`)
    this.#listener.gone(member)
  }

  /** After repeated failures, delays the next start, and lets queued runs fail if no executor is left to serve them. */
  #startFailed(reason: string): void {
    if (++this.#failedStarts < FAILED_STARTS_MAX) return
    this.#notBefore = performance.now() + FAILED_START_PAUSE_MS
    for (const { served, leaving } of this.#members) if (served && !leaving) return
    this.#break(reason, false)
  }

  #break(reason: string, forGood: boolean): void {
    this.#ready.reject(new Error(`executors cannot be started: ${reason}`))
    this.#listener.broken('executors cannot be started', forGood)
  }
}
