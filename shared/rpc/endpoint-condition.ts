import type { BlockHeader } from './block-header.ts'
import { EndpointCircuitBreaker } from './endpoint-circuit-breaker.ts'

/**
 * A node counts as lagging if its head is behind another node's head by more than this number of blocks and seconds.
 * Smaller differences between providers are normal.
 */
const LAG_BLOCKS = 3
const LAG_SECONDS = 5

/** Time after which a node's head is too old to be compared with those of other nodes. */
const HEAD_KEPT_MS = 60_000

/** Time until a missing tag is requested again. The node may only have been starting up. */
const TAG_MISSING_MS = 600_000

/**
 * Time until an endpoint on the wrong chain is tried again. It is long, because fixing the endpoint requires a
 * configuration change.
 */
const WRONG_CHAIN_MS = 300_000

/** Time after a contradiction for which requests prefer other endpoints. */
const DISAGREEMENT_KEPT_MS = 600_000

/** Live requests never wait for backfill requests. */
export type ReadPriority = 'live' | 'backfill'

/**
 * Health of one endpoint. `endpoint` is an index in the configured list, never a URL.
 */
export type EndpointHealth = {
  endpoint: number
  state: 'healthy' | 'lagging' | 'failing' | 'wrong_chain' | 'unknown'
  head: number | null
  /** Median latency of recent responses. Null before the first response. */
  latencyMs: number | null
  /** Kind of the last failure, or null. Never contains text from the provider, which can include API keys. */
  lastFailure: string | null
}

type Tag = 'safe' | 'finalized'
type Head = Pick<BlockHeader, 'number' | 'timestamp'> & { at: number }

export class EndpointCondition {
  readonly #live = new EndpointCircuitBreaker()
  readonly #backfill = new EndpointCircuitBreaker()
  readonly #tagsMissing = new Map<Tag, number>()
  #wrongChainUntil = 0
  #hasResponded = false
  #head: Head | undefined
  #lastFailure: string | undefined
  #failures = 0
  #disagreedAt = Number.NEGATIVE_INFINITY
  isLagging = false
  headRequestedAt = Number.NEGATIVE_INFINITY

  get head(): Head | undefined {
    return this.#head
  }

  /** Number of failed requests since the start. */
  get failures(): number {
    return this.#failures
  }

  isWrongChain(now: number): boolean {
    return now < this.#wrongChainUntil
  }

  /**
   * Returns true if the endpoint serves the configured chain and no circuit breaker blocks requests of this priority.
   */
  isHealthy(priority: ReadPriority, now: number): boolean {
    return (
      !this.isWrongChain(now) && this.#breakers(priority).every((breaker) => !breaker.isTripped)
    )
  }

  isProbeDue(priority: ReadPriority, now: number, alone: boolean): boolean {
    const open = this.#breakers(priority).filter((breaker) => breaker.isTripped)
    return !this.isWrongChain(now) && open.every((breaker) => breaker.isProbeDue(now, alone))
  }

  /** Returns a function that ends the probe. */
  startProbe(priority: ReadPriority): () => void {
    const probe = Symbol('half-open probe')
    const open = this.#breakers(priority).filter(({ isProbing }) => !isProbing)
    for (const breaker of open) breaker.recordSent(probe)
    return () => {
      for (const breaker of open) breaker.recordDone(probe)
    }
  }

  /** Returns true if at least one circuit breaker was open. */
  recordSuccess(priority: ReadPriority, now: number): boolean {
    this.#hasResponded = true
    return this.#breakers(priority)
      .map((breaker) => breaker.recordSuccess(now))
      .includes(true)
  }

  countFailure(kind: string): void {
    this.#lastFailure = kind
    this.#failures++
  }

  /**
   * Records a failed request. A failed backfill request does not prevent live requests to the endpoint.
   * @returns milliseconds until the endpoint is tried again, or undefined if its circuit breaker was already open
   */
  recordFailure(
    priority: ReadPriority,
    kind: string,
    now: number,
    random: number,
    retryAfterMs?: number,
  ): number | undefined {
    this.countFailure(kind)
    if (kind === 'wrong_chain') {
      const isKnown = this.isWrongChain(now)
      this.#wrongChainUntil = now + WRONG_CHAIN_MS
      return isKnown ? undefined : WRONG_CHAIN_MS
    }
    const live = priority === 'live' || this.#live.isTripped
    const backfill =
      priority === 'backfill' ? this.#backfill.recordFailure(now, random, retryAfterMs) : undefined
    return live ? this.#live.recordFailure(now, random, retryAfterMs) : backfill
  }

  /** Returns true if the endpoint has recently contradicted the other endpoints. */
  isDisagreeing(now: number): boolean {
    return now - this.#disagreedAt < DISAGREEMENT_KEPT_MS
  }

  recordDisagreement(now: number): void {
    this.#disagreedAt = now
  }

  recordHead(header: BlockHeader, now: number, others: readonly EndpointCondition[]): void {
    this.headRequestedAt = now
    this.#head = { number: header.number, timestamp: header.timestamp, at: now }
    this.isLagging = others.some(({ head }) => {
      if (!head || now - head.at > HEAD_KEPT_MS) return false
      const blocks = head.number - header.number
      return blocks > LAG_BLOCKS && head.timestamp - header.timestamp > LAG_SECONDS
    })
  }

  recordTags(tags: Partial<Record<Tag, unknown>>, now: number): void {
    for (const tag of ['safe', 'finalized'] as const) {
      if (tags[tag] === null) this.#tagsMissing.set(tag, now)
      else if (tags[tag] !== undefined) this.#tagsMissing.delete(tag)
    }
  }

  lacksTags(tags: readonly Tag[], now: number): boolean {
    return tags.some(
      (tag) => now - (this.#tagsMissing.get(tag) ?? Number.NEGATIVE_INFINITY) < TAG_MISSING_MS,
    )
  }

  health(endpoint: number, latencyMs: number | null, now: number): EndpointHealth {
    return {
      endpoint,
      state: this.#state(now),
      head: this.#head?.number ?? null,
      latencyMs,
      lastFailure: this.#lastFailure ?? null,
    }
  }

  #state(now: number): EndpointHealth['state'] {
    if (this.isWrongChain(now)) return 'wrong_chain'
    if (this.#live.isTripped) return 'failing'
    if (!this.#hasResponded) return this.#lastFailure === 'wrong_chain' ? 'wrong_chain' : 'unknown'
    return this.isLagging ? 'lagging' : 'healthy'
  }

  #breakers(priority: ReadPriority): readonly EndpointCircuitBreaker[] {
    return priority === 'live' ? [this.#live] : [this.#live, this.#backfill]
  }
}
