/** Signed webhooks to the seller, with retries and injectable delivery faults. */
import { createHmac } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { API_VERSION, newId } from './objects.ts'

export type ProcessorEvent = {
  id: string
  object: 'event'
  api_version: string
  created: number
  data: { object: object }
  livemode: boolean
  pending_webhooks: number
  request: { id: null; idempotency_key: null }
  type: string
}

/** Sends events at once, holds them until `release`, or drops them. */
export type WebhookMode = 'send' | 'hold' | 'drop'

export type WebhooksOptions = {
  livemode: boolean
  now: () => number
  /** Delays between attempts in milliseconds; the last one repeats. */
  retryMs?: readonly number[]
  /** Maximum number of attempts per event. */
  tries?: number
}

const RETRY_MS = [20, 50, 100, 200, 500, 1_000]
const TRIES = 30
const REQUEST_MS = 10_000

/** Signs as `t=...,v1=...`: HMAC-SHA256 of time and body, in hex. */
export function signature(body: string, secret: string, seconds: number): string {
  const mac = createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex')
  return `t=${seconds},v1=${mac}`
}

export class Webhooks {
  readonly #options: WebhooksOptions
  readonly #stopped = new AbortController()
  readonly #sending = new Set<Promise<void>>()
  #endpoint: { url: string; secret: string } | undefined
  #held: ProcessorEvent[] = []
  mode: WebhookMode = 'send'
  /** Number of times that each event is sent. */
  copies = 1
  /** All events so far, and the response status of each delivery; 0 for no response. */
  readonly events: ProcessorEvent[] = []
  readonly answers: { type: string; status: number }[] = []

  constructor(options: WebhooksOptions) {
    this.#options = options
  }

  /** Sets the destination of events. The secret is the one the processor would show to the seller. */
  sendTo(url: string, secret: string): void {
    this.#endpoint = { url, secret }
  }

  happened(type: string, object: object): void {
    const { livemode, now } = this.#options
    const event: ProcessorEvent = {
      id: newId('evt'),
      object: 'event',
      api_version: API_VERSION,
      created: Math.floor(now() / 1000),
      // A snapshot of the current state, whenever it is delivered.
      data: { object: structuredClone(object) },
      livemode,
      pending_webhooks: 1,
      request: { id: null, idempotency_key: null },
      type,
    }
    this.events.push(event)
    if (this.mode === 'hold') this.#held.push(event)
    else if (this.mode === 'send') this.send(event)
  }

  /** Sends held events, by default in order. */
  release(order: (events: ProcessorEvent[]) => ProcessorEvent[] = (events) => events): void {
    for (const event of order(this.#held.splice(0))) this.send(event)
  }

  send(event: ProcessorEvent): void {
    for (let copy = 0; copy < this.copies; copy++) {
      const sending: Promise<void> = this.#deliver(event)
        .catch(() => {})
        .finally(() => this.#sending.delete(sending))
      this.#sending.add(sending)
    }
  }

  /** Resolves once every sent event is accepted or given up. */
  async settled(): Promise<void> {
    while (this.#sending.size > 0) await Promise.all(this.#sending)
  }

  async close(): Promise<void> {
    this.#stopped.abort()
    await this.settled()
  }

  async #deliver(event: ProcessorEvent): Promise<void> {
    const { retryMs = RETRY_MS, tries = TRIES } = this.#options
    for (let attempt = 0; attempt < tries; attempt++) {
      if (this.#endpoint === undefined || this.#stopped.signal.aborted) return
      const status = await this.#post(event, this.#endpoint)
      this.answers.push({ type: event.type, status })
      if (status >= 200 && status < 300) return
      const wait = retryMs[Math.min(attempt, retryMs.length - 1)] ?? 0
      await sleep(wait, undefined, { signal: this.#stopped.signal })
    }
  }

  /** @returns the response status, or 0 without a response */
  async #post(event: ProcessorEvent, to: { url: string; secret: string }): Promise<number> {
    const body = JSON.stringify(event)
    const seconds = Math.floor(this.#options.now() / 1000)
    try {
      const response = await fetch(to.url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json; charset=utf-8',
          'stripe-signature': signature(body, to.secret, seconds),
        },
        body,
        signal: AbortSignal.any([this.#stopped.signal, AbortSignal.timeout(REQUEST_MS)]),
      })
      await response.arrayBuffer()
      return response.status
    } catch {
      return 0
    }
  }
}
