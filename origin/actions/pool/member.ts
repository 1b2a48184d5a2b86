import type { ExecutorProcess } from './executor-process.ts'
import { Priority } from './priority.ts'

/** One run that has an executor, and the time that it has computed. */
export class Occupation {
  readonly account: string
  computing = true
  computedMs = 0
  /** It has computed for so long that others go before it. */
  isLong = false
  readonly #startedAt: number
  #countedAt: number

  constructor(account: string, now: number) {
    this.account = account
    this.#startedAt = now
    this.#countedAt = now
  }

  /** @returns milliseconds computed since the last call */
  count(now: number): number {
    const ms = this.computing ? now - this.#countedAt : 0
    this.#countedAt = now
    this.computedMs += ms
    return ms
  }

  /**
   * What the executor says that the run has computed, which is more than was seen when its turns are short.
   * @returns milliseconds that were not seen
   */
  reported(totalMs: number): number {
    const unseen = Math.max(0, totalMs - this.computedMs)
    this.computedMs += unseen
    return unseen
  }

  heldMs(now: number): number {
    return now - this.#startedAt
  }
}

/** One executor in the crew. */
export class Member {
  readonly executor: ExecutorProcess
  readonly priority: Priority
  readonly startedAt: number
  /** It was ready once. */
  served = false
  /** Told to end; it no longer counts. */
  leaving = false
  replacement: Member | undefined
  idle: NodeJS.Timeout | undefined
  occupation: Occupation | undefined

  constructor(executor: ExecutorProcess, now: number) {
    this.executor = executor
    this.priority = new Priority(executor.pid)
    this.startedAt = now
  }
}
