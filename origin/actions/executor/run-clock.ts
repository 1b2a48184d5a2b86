import { type ActionFailure, timeoutFailure } from '../failure.ts'
import type { TimeSource } from './time-source.ts'

/** Measures the wall time of a run, and the CPU time of the thread that executes the guest. */
export class RunClock {
  readonly #wallMs: number
  readonly #cpuMs: number
  readonly #time: TimeSource
  readonly #startedAt: number
  readonly #cpuAtStart: number
  reached: 'wall' | 'cpu' | undefined

  constructor(limits: { wallMs: number; cpuMs: number }, time: TimeSource) {
    this.#wallMs = limits.wallMs
    this.#cpuMs = limits.cpuMs
    this.#time = time
    this.#startedAt = time.monotonicMs()
    this.#cpuAtStart = time.cpuMs()
  }

  elapsedMs(): number {
    return this.#time.monotonicMs() - this.#startedAt
  }

  usedCpuMs(): number {
    return this.#time.cpuMs() - this.#cpuAtStart
  }

  /** Cheap enough for the interrupt handler. */
  isExpired(): boolean {
    if (this.reached !== undefined) return true
    const elapsed = this.elapsedMs()
    if (elapsed >= this.#wallMs) this.reached = 'wall'
    // CPU time never exceeds wall time, so the CPU clock need not be read earlier.
    else if ((elapsed >= this.#cpuMs || !this.#time.advances) && this.usedCpuMs() >= this.#cpuMs)
      this.reached = 'cpu'
    return this.reached !== undefined
  }

  failure(): ActionFailure {
    return timeoutFailure(
      this.reached === 'cpu'
        ? `${this.#cpuMs / 1000} s of CPU time`
        : `${this.#wallMs / 1000} s of time`,
    )
  }
}
