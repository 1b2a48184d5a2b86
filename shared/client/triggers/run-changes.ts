import { RUN_WAIT_MAX_S } from '../../limits.ts'
import type { Tail } from '../../wire/tail.ts'
import { anySignal } from '../abortable.ts'
import type { CallOptions } from '../options.ts'
import { retryWhileUnavailable } from './retry-while-unavailable.ts'
import { triggerBody, triggerPath, type TriggersParts } from './send-request.ts'

/** Minimum time between two responses, so that a busy trigger or a proxy that does not wait cannot cause a busy loop. */
const INTERVAL_MIN_MS = 500

/** Waits for changes of a trigger's runs by long polling. */
export class RunChanges {
  readonly #parts: TriggersParts
  readonly #triggerId: string
  readonly #options: CallOptions
  #cursor: string | undefined
  #respondedAt = Number.NEGATIVE_INFINITY

  constructor(parts: TriggersParts, triggerId: string, options: CallOptions) {
    this.#parts = parts
    this.#triggerId = triggerId
    this.#options = options
  }

  /** Returns output of runs in progress, or that runs may have been queued or have ended. May return neither. */
  async next(): Promise<Pick<Tail, 'changed' | 'lines'>> {
    const { now, sleep } = this.#parts
    const signal = anySignal(this.#parts.signal, this.#options.signal)
    const earlyMs = this.#respondedAt + INTERVAL_MIN_MS - now()
    if (earlyMs > 0) await sleep(earlyMs, signal)
    const tail = await retryWhileUnavailable(() => this.#fetch(), this.#parts, signal)
    this.#respondedAt = now()
    this.#cursor = tail.cursor
    return tail
  }

  #fetch(): Promise<Tail> {
    const query = new URLSearchParams(
      this.#cursor === undefined ? {} : { after: this.#cursor, wait: String(RUN_WAIT_MAX_S) },
    )
    const path = `${triggerPath(this.#triggerId)}/tail?${query}`
    return triggerBody(this.#parts, { method: 'GET', path, repeat: 'idempotent' }, this.#options)
  }
}
