import type { ExecutorProcess } from './executor-process.ts'
import { Priority } from './priority.ts'

/** A run that has an executor, and its CPU time. */
export class Occupation {
  readonly account: string
  computing = true
  computedMs = 0
  /** The run has computed for so long that others take precedence. */
  isLong = false
  readonly #startedAt: number

  constructor(account: string, now: number) {
    this.account = account
    this.#startedAt = now
  }

  /**
   * @param totalMs CPU time of the run so far
   * @returns the increase since the previous call
   */
  count(totalMs: number): number {
    const more = Math.max(0, totalMs - this.computedMs)
    this.computedMs += more
    return more
  }

  heldMs(now: number): number {
    return now - this.#startedAt
  }
}

export class Member {
  /** Set once the process has been started. */
  executor!: ExecutorProcess
  priority!: Priority
  readonly startedAt: number
  /** The executor has been ready at least once. */
  served = false
  /** The executor is being stopped and no longer counts. */
  leaving = false
  replacement: Member | undefined
  idle: NodeJS.Timeout | undefined
  occupation: Occupation | undefined

  constructor(now: number) {
    this.startedAt = now
  }

  attach(executor: ExecutorProcess): void {
    this.executor = executor
    this.priority = new Priority(executor.pid)
  }
}
