import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks'

/** Thrown if a request is shed because of overload. The shed request had no effect. */
export class OverloadedError extends Error {
  override readonly name = 'OverloadedError'
  /** Time after which the client may retry. Undefined if it cannot be estimated. */
  readonly retryAfterMs: number | undefined
  constructor(message: string, retryAfterMs?: number) {
    super(message)
    this.retryAfterMs = retryAfterMs
  }
}

/**
 * Median event loop delay above which requests are shed. The worker pool kills an executor that is silent for 500 ms
 * past its deadline, and must not do so merely because this process reads messages late. A request takes about ten
 * turns of the event loop, which last two seconds at this delay.
 */
export const SHED_DELAY_MS = 200

const RESOLUTION_MS = 20

/** A single slow request does not indicate overload, but a second of slow requests does. */
const WINDOW_MS = 1_000

/**
 * Measures the event loop delay as the median over the last second, so that a single long task, such as a request of 16
 * MiB, does not count. The sampling does not run JavaScript.
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

  get delayMs(): number {
    return this.#delayMs
  }

  /** @throws {OverloadedError} if the event loop is delayed by more than `maxDelayMs` */
  requireRoom(): void {
    if (this.#delayMs <= this.maxDelayMs) return
    throw new OverloadedError(`the event loop is delayed by ${Math.round(this.#delayMs)} ms`)
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
