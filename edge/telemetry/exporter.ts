/**
 * Sends spans and log records of this isolate to the collector. Isolates are numerous and short-lived, and no timer or
 * request survives the request that started it. Therefore the queue consists of plain values, and every delivery belongs
 * to the request during which it started.
 */
import { backoffMs, withJitter } from '../../shared/backoff.ts'
import { isRetryableStatus } from '../../shared/telemetry/collector.ts'

/** Items are collected for this time, so that each item does not cost a request. */
const BATCH_INTERVAL_MS = 1_000
/** Common limit of collectors for one request. */
const BATCH_MAX_CHARACTERS = 256 * 1024
/** An isolate has 128 MB for everything. */
export const QUEUE_MAX_CHARACTERS = 1024 * 1024
const REQUEST_TIMEOUT_MS = 10_000
const RETRY_FIRST_MS = 1_000
const RETRY_MAX_MS = 30_000

type ExporterOptions = {
  url: string
  headers: Readonly<Record<string, string>>
  /** Builds the body of a request. */
  encode: (items: readonly string[]) => string
  fetch: (url: string, init: RequestInit) => Promise<Response>
  /** Unix milliseconds. */
  now: () => number
  sleep: (ms: number) => Promise<void>
  /** In [0, 1). */
  random: () => number
  /** Extends the lifetime of the current request. */
  waitUntil: (work: Promise<void>) => void
  onDropped: (items: number) => void
}

export class Exporter {
  readonly #options: ExporterOptions
  #items: string[] = []
  #characters = 0
  /** Time until which a delivery is planned or in flight. If its request was cut off, it never ends. */
  #busyUntil = Number.NEGATIVE_INFINITY
  #failures = 0

  constructor(options: ExporterOptions) {
    this.#options = options
  }

  /** Never throws, and never waits. */
  add(item: string): void {
    if (this.#characters + item.length > QUEUE_MAX_CHARACTERS) return this.#options.onDropped(1)
    this.#items.push(item)
    this.#characters += item.length
    this.#plan(BATCH_INTERVAL_MS)
  }

  #plan(delayMs: number): void {
    const { now, sleep, waitUntil } = this.#options
    const at = now()
    const longestMs = RETRY_MAX_MS * 2 + REQUEST_TIMEOUT_MS
    // A longer wait means that the clock was set back.
    if (at < this.#busyUntil && this.#busyUntil - at <= longestMs) return
    this.#busyUntil = at + delayMs + REQUEST_TIMEOUT_MS
    try {
      waitUntil(sleep(delayMs).then(() => this.#deliver()))
    } catch {
      // Outside of a request. The next item plans again.
      this.#busyUntil = Number.NEGATIVE_INFINITY
    }
  }

  async #deliver(): Promise<void> {
    const { now, random, onDropped } = this.#options
    const batch = this.#take()
    if (batch.length > 0) {
      this.#busyUntil = now() + REQUEST_TIMEOUT_MS
      const result = await this.#post(batch)
      if (result === 'refused') onDropped(batch.length)
      if (result === 'unavailable') {
        this.#putBack(batch)
        const waitMs = backoffMs(this.#failures++, RETRY_FIRST_MS, RETRY_MAX_MS)
        // The next item after this time plans the delivery: an idle isolate must not wait for a collector.
        this.#busyUntil = now() + withJitter(waitMs, random())
        return
      }
      this.#failures = 0
    }
    this.#busyUntil = Number.NEGATIVE_INFINITY
    if (this.#items.length > 0) this.#plan(0)
  }

  async #post(batch: readonly string[]): Promise<'accepted' | 'refused' | 'unavailable'> {
    const { url, headers, encode, fetch } = this.#options
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers,
        body: encode(batch),
        redirect: 'manual',
        signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
      })
      await response.body?.cancel()
      if (response.ok) return 'accepted'
      return isRetryableStatus(response.status) ? 'unavailable' : 'refused'
    } catch {
      return 'unavailable'
    }
  }

  /** At least one item, if there is one. */
  #take(): string[] {
    let characters = 0
    const end = this.#items.findIndex((item) => (characters += item.length) > BATCH_MAX_CHARACTERS)
    const batch = this.#items.splice(0, end < 0 ? this.#items.length : Math.max(end, 1))
    for (const { length } of batch) this.#characters -= length
    return batch
  }

  #putBack(batch: readonly string[]): void {
    for (const { length } of batch) this.#characters += length
    this.#items = [...batch, ...this.#items]
  }
}
