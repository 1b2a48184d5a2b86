import type { ExecutorProcess } from './executor-process.ts'
import { Priority } from './priority.ts'

export class RunAssignment {
  readonly account: string
  computing = true
  computedMs = 0
  isLong = false
  readonly #startedAt: number

  constructor(account: string, now: number) {
    this.account = account
    this.#startedAt = now
  }

  /** @returns the increase since the previous call, in milliseconds */
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
  served = false
  /** True if the executor is being stopped. It then no longer counts as a worker of the pool. */
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
