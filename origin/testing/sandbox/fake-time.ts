import type { TimeSource } from '../../actions/executor/time-source.ts'

/** Node's timers wait at least a millisecond, so a loop of timers without delay reaches the run's deadline. */
const DELAY_MIN_MS = 1

type FakeTimer = { dueMs: number; callback: () => void }

/** Clock that stands still until `fireNext` is called. */
export class FakeTime implements TimeSource {
  readonly advances = false
  readonly #startedAt: number
  readonly #timers = new Set<FakeTimer>()
  #elapsedMs = 0

  /** @param startedAt Unix milliseconds */
  constructor(startedAt: number) {
    this.#startedAt = startedAt
  }

  monotonicMs(): number {
    return this.#elapsedMs
  }

  wallClockMs(): number {
    return this.#startedAt + Math.floor(this.#elapsedMs)
  }

  /** Before Node 23.9, CPU time is measured only for the process, which does little else. */
  cpuMs(): number {
    const { user, system } = (process.threadCpuUsage as typeof process.threadCpuUsage | undefined)
      ? process.threadCpuUsage()
      : process.cpuUsage()
    return (user + system) / 1000
  }

  setTimeout(callback: () => void, ms: number): FakeTimer {
    const timer = { dueMs: this.#elapsedMs + Math.max(DELAY_MIN_MS, ms), callback }
    this.#timers.add(timer)
    return timer
  }

  clearTimeout(timer: unknown): void {
    this.#timers.delete(timer as FakeTimer)
  }

  /** Sets the clock to the time of the next timer, and fires it. Timers that are due at the same time fire in order. */
  fireNext(): void {
    let next: FakeTimer | undefined
    for (const timer of this.#timers) if (!next || timer.dueMs < next.dueMs) next = timer
    if (!next) return
    this.#timers.delete(next)
    this.#elapsedMs = next.dueMs
    next.callback()
  }
}
