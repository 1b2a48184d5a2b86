import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks'

/** This process is overloaded and sheds the request, which had no effect. */
export class Overloaded extends Error {
  /** Suggested retry delay, if it can be estimated. */
  readonly retryAfterMs: number | undefined
  constructor(message: string, retryAfterMs?: number) {
    super(message)
    this.name = 'Overloaded'
    this.retryAfterMs = retryAfterMs
  }
}

/**
 * Median delay above which requests are shed. The worker pool kills an executor that is silent for 500 ms past its
 * deadline, and must not do so because this process reads late. A request takes about ten turns of the event loop,
 * which at this delay is two seconds.
 */
export const SHED_DELAY_MS = 200

/** Sampling interval of the event loop delay. */
const RESOLUTION_MS = 20

/** Measurement window. One slow request is not overload, but a second of slow requests is. */
const WINDOW_MS = 1_000

/**
 * Measures how late this process's event loop was in the last second. Uses the median, so that a single long task, such
 * as any request of 16 MiB, does not count. The sampling runs outside of JavaScript.
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

  /** @throws {Overloaded} if additional work would delay everything else */
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
