import type { ExecutorProcess } from './executor-process.ts'
import { Priority } from './priority.ts'

/** One run that has an executor, and its CPU time. */
export class Occupation {
  readonly account: string
  computing = true
  computedMs = 0
  /** It has computed for so long that others go before it. */
  isLong = false
  readonly #startedAt: number

  constructor(account: string, now: number) {
    this.account = account
    this.#startedAt = now
  }

  /**
   * @param totalMs CPU time of the run so far
   * @returns what of it is new
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

/** One executor in the crew. */
export class Member {
  /** Set once its process was begun. */
  executor!: ExecutorProcess
  priority!: Priority
  readonly startedAt: number
  /** It was ready once. */
  served = false
  /** Told to end; it no longer counts. */
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
