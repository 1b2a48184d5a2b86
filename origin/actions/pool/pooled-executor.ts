import type { ExecutorProcess } from './executor-process.ts'
import { Priority } from './priority.ts'

export class RunAssignment {
  readonly account: string
  computing = true
  computedMs = 0
  /** True if the run has computed for so long that shorter runs take precedence. */
  isLong = false
  readonly #startedAt: number

  constructor(account: string, now: number) {
    this.account = account
    this.#startedAt = now
  }

  /**
   * Records the run's CPU time so far.
   * @returns the increase since the previous call, in milliseconds
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

export class PooledExecutor {
  /** Set by `attach`, immediately after the process has been started. */
  executor!: ExecutorProcess
  priority!: Priority
  readonly startedAt: number
  /** True if the executor has been ready at least once. */
  served = false
  /** True if the executor is being stopped. It then no longer counts as a member. */
  leaving = false
  replacement: PooledExecutor | undefined
  idle: NodeJS.Timeout | undefined
  occupation: RunAssignment | undefined

  constructor(now: number) {
    this.startedAt = now
  }

  attach(executor: ExecutorProcess): void {
    this.executor = executor
    this.priority = new Priority(executor.pid)
  }
}
