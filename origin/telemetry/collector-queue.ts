/**
 * Sends items to a collector over HTTPS: batches by POST, one request at a time. The caller never waits for the
 * collector. While it is unavailable, items wait in bounded memory, and further items are dropped and counted.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { backoffMs, withJitter } from '../../shared/backoff.ts'
import { causeCode } from '../../shared/errors/cause-code.ts'

/** Common limit of collectors for one request. */
const BATCH_MAX_BYTES = 256 * 1024
/** Memory for items that are not delivered. For log lines: about half an hour of a quiet process, or 20,000 requests. */
export const QUEUE_MAX_BYTES = 4 * 1024 * 1024
/** Items are collected for this time, so that each item does not cost a request. */
const BATCH_INTERVAL_MS = 1_000
const REQUEST_TIMEOUT_MS = 10_000
const RETRY_FIRST_MS = 1_000
const RETRY_MAX_MS = 30_000
/** Time for the remaining items before the process exits. */
const CLOSE_MS = 3_000

export type CollectorQueueOptions = {
  url: string
  headers: Readonly<Record<string, string>>
  /** Builds the body of a request. */
  encode: (items: readonly string[]) => string
  /** Returns true for statuses after which a batch is dropped, because the collector would reject it again. */
  isRefusal: (status: number) => boolean
  fetch: (url: string, init: RequestInit) => Promise<Response>
  /** In [0, 1). */
  random: () => number
  onDropped: (items: number) => void
  /** Called once per outage. */
  onFailed: (reason: string) => void
  /** Called when a batch is delivered after an outage. */
  onRecovered: () => void
  /** @default BATCH_INTERVAL_MS, RETRY_FIRST_MS, REQUEST_TIMEOUT_MS, CLOSE_MS */
  times?: { batchMs: number; retryMs: number; timeoutMs: number; closeMs: number }
}

export class CollectorQueue {
  readonly #options: CollectorQueueOptions
  readonly #times: NonNullable<CollectorQueueOptions['times']>
  /** Includes the batch in flight. */
  readonly #items: { text: string; bytes: number }[] = []
  #bytes = 0
  #delivery: Promise<void> | undefined
  readonly #closing = new AbortController()
  readonly #givenUp = new AbortController()
  #failures = 0

  constructor(options: CollectorQueueOptions) {
    this.#options = options
    this.#times = options.times ?? {
      batchMs: BATCH_INTERVAL_MS,
      retryMs: RETRY_FIRST_MS,
      timeoutMs: REQUEST_TIMEOUT_MS,
      closeMs: CLOSE_MS,
    }
  }

  add(text: string): void {
    const bytes = Buffer.byteLength(text)
    if (this.#givenUp.signal.aborted || this.#bytes + bytes > QUEUE_MAX_BYTES)
      return this.#options.onDropped(1)
    this.#items.push({ text, bytes })
    this.#bytes += bytes
    this.#delivery ??= this.#deliver()
  }

  /** Delivers the remaining items, and drops those that the collector does not accept in time. Never rejects. */
  async close(): Promise<void> {
    this.#closing.abort()
    const timer = setTimeout(() => this.#givenUp.abort(), this.#times.closeMs)
    await this.#delivery
    clearTimeout(timer)
    this.#givenUp.abort()
  }

  async #deliver(): Promise<void> {
    await this.#pause(this.#times.batchMs)
    while (this.#items.length > 0) {
      const count = this.#batchLength()
      const failure = await this.#post(this.#items.slice(0, count))
      if (failure === undefined) {
        this.#remove(count)
        if (this.#failures > 0) this.#options.onRecovered()
        this.#failures = 0
        continue
      }
      if (typeof failure === 'number' && this.#options.isRefusal(failure)) this.#drop(count)
      if (this.#failures === 0) this.#options.onFailed(String(failure))
      if (this.#givenUp.signal.aborted) this.#drop(this.#items.length)
      else await this.#pauseAfterFailure()
    }
    // Not in a callback of the promise: an item that is added before the callback would wait for the next item.
    this.#delivery = undefined
  }

  async #pauseAfterFailure(): Promise<void> {
    const ms = backoffMs(this.#failures++, this.#times.retryMs, RETRY_MAX_MS)
    await this.#pause(withJitter(ms, this.#options.random()))
  }

  /** At least one item. */
  #batchLength(): number {
    let bytes = 0
    const end = this.#items.findIndex((item) => (bytes += item.bytes) > BATCH_MAX_BYTES)
    return end < 0 ? this.#items.length : Math.max(end, 1)
  }

  #drop(count: number): void {
    this.#remove(count)
    this.#options.onDropped(count)
  }

  #remove(count: number): void {
    for (const { bytes } of this.#items.splice(0, count)) this.#bytes -= bytes
  }

  /** Returns the status or the code of a failure. Its message is omitted, because it may contain the URL. */
  async #post(items: readonly { text: string }[]): Promise<number | string | undefined> {
    const { url, headers, encode, fetch } = this.#options
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers,
        body: encode(items.map(({ text }) => text)),
        redirect: 'error',
        signal: AbortSignal.any([AbortSignal.timeout(this.#times.timeoutMs), this.#givenUp.signal]),
      })
      await response.body?.cancel()
      return response.ok ? undefined : response.status
    } catch (error) {
      return causeCode(error)
    }
  }

  /** Ends early when the sink closes. */
  async #pause(ms: number): Promise<void> {
    // While closing, retries must not become a busy loop.
    const isClosing = this.#closing.signal.aborted
    const signal = isClosing ? this.#givenUp.signal : this.#closing.signal
    await sleep(isClosing ? Math.min(ms, 100) : ms, undefined, { signal, ref: false }).catch(
      () => {},
    )
  }
}
