import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks'

/** This process has more to do than it can in time; nothing was done. */
export class Overloaded extends Error {
  /** When there may be room again, where that can be told. */
  readonly retryAfterMs: number | undefined
  constructor(message: string, retryAfterMs?: number) {
    super(message)
    this.name = 'Overloaded'
    this.retryAfterMs = retryAfterMs
  }
}

/**
 * The median delay above which requests are shed: the pool kills an executor that is silent for 500 ms past its
 * deadline, and must not do so because its own ears were late. A request takes some ten turns of the loop: two seconds.
 */
export const SHED_DELAY_MS = 200

/** Time between two measurements of how late the event loop is. */
const RESOLUTION_MS = 20

/** A measurement covers this long: one slow request is no load, and a second of them is. */
const WINDOW_MS = 1_000

/**
 * How late this process' event loop was in the last second: the median, so that a single long task, which every
 * request of 16 MiB is, does not count. The measuring itself is outside of the loop's JavaScript.
 */
export class EventLoopLoad {
  readonly maxDelayMs: number
  readonly #histogram: IntervalHistogram
  readonly #timer: NodeJS.Timeout
  #delayMs = 0

  constructor(maxDelayMs: number) {
    this.maxDelayMs = maxDelayMs
    this.#histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
    this.#histogram.enable()
    this.#timer = setInterval(() => this.#measure(), WINDOW_MS).unref()
  }

  /** Milliseconds in the last window. */
  get delayMs(): number {
    return this.#delayMs
  }

  /** @throws {Overloaded} when what is begun now would make everything later */
  requireRoom(): void {
    if (this.#delayMs <= this.maxDelayMs) return
    throw new Overloaded(`the event loop is ${Math.round(this.#delayMs)} ms late`)
  }

  close(): void {
    clearInterval(this.#timer)
    this.#histogram.disable()
  }

  #measure(): void {
    const median = this.#histogram.percentile(50) / 1e6
    this.#delayMs = Math.max(0, median - RESOLUTION_MS)
    this.#histogram.reset()
  }
}
