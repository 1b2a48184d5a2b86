import type { Tip } from './block-header.ts'
import type { Endpoint } from './endpoint.ts'
import { EndpointCondition, type EndpointHealth, type ReadPriority } from './endpoint-condition.ts'
import { EndpointError } from './endpoint-error.ts'
import { ChainUnreachableError, NodeLaggingError } from './chain-read-errors.ts'

export type EndpointCandidate = { place: number; endpoint: Endpoint; condition: EndpointCondition }
export type EventLogger = (
  event: 'rpc.out' | 'rpc.back',
  facts: Record<string, string | number>,
) => void

type Tags = readonly ('safe' | 'finalized')[]
type Options = {
  now: () => number
  random: () => number
  log: EventLogger
  /**
   * If true, endpoints whose circuit breaker is open are tried after all others, instead of not at all.
   * @default false
   */
  triesOpen?: boolean
}

export class Failover {
  readonly candidates: readonly EndpointCandidate[]
  readonly #options: Options

  constructor(endpoints: readonly Endpoint[], options: Options) {
    this.candidates = endpoints.map((endpoint, place) => ({
      place,
      endpoint,
      condition: new EndpointCondition(),
    }))
    this.#options = options
  }

  /**
   * Sends a request to one endpoint after another, each at most once, until an endpoint answers.
   * @param tags block tags; endpoints that serve them are tried first
   * @throws {RangeRejectedError} from the first endpoint that rejects the range
   * @throws {NodeLaggingError} if an endpoint lags and no other endpoint answers
   * @throws {ChainUnreachableError} if no endpoint answers
   */
  async request<T>(
    priority: ReadPriority,
    send: (candidate: EndpointCandidate) => Promise<T>,
    tags: Tags = [],
  ): Promise<T> {
    const doubtful: { candidate: EndpointCandidate; kind: string }[] = []
    const failures: string[] = []
    let perhapsRange = false
    let lags: NodeLaggingError | undefined
    const alone = !this.candidates.some(({ condition }) =>
      condition.isHealthy(priority, this.#options.now()),
    )
    for (const candidate of this.#inOrder(priority, tags, alone)) {
      // Checks each endpoint again, because it may have failed in the meantime, or another request may be its half-open
      // probe.
      if (!this.#options.triesOpen && !this.#isAvailable(candidate, priority, alone)) continue
      try {
        const answer = await this.requestFrom(candidate, priority, send)
        // Another endpoint answered the request, so the earlier failures were not caused by the request.
        for (const { candidate: failed, kind } of doubtful)
          this.#recordFailure(failed, priority, kind)
        return answer
      } catch (error) {
        if (error instanceof NodeLaggingError) {
          lags = error
          doubtful.push({ candidate, kind: 'lags' })
        } else if (error instanceof EndpointError) {
          perhapsRange ||= error.perhapsRange
          if (error.perhapsRequest) doubtful.push({ candidate, kind: error.message })
          failures.push(error.kind)
        } else throw error
      }
    }
    if (lags) throw lags
    throw new ChainUnreachableError(undefined, { failures, perhapsRange })
  }

  /** Records a failure only if the endpoint itself is the cause. */
  async requestFrom<T>(
    candidate: EndpointCandidate,
    priority: ReadPriority,
    send: (candidate: EndpointCandidate) => Promise<T>,
  ): Promise<T> {
    const { condition } = candidate
    const wasHealthy = condition.isHealthy(priority, this.#options.now())
    const endProbe = this.#startProbe(candidate, priority)
    try {
      const answer = await send(candidate)
      this.#recordSuccess(candidate, priority)
      return answer
    } catch (error) {
      // The error concerns only this request. The endpoint itself is working, so the request counts as a success.
      if (!(error instanceof EndpointError) || error.perhapsRequest)
        this.#recordSuccess(candidate, priority)
      // A concurrent request has already opened the circuit breaker. Counting each of them would extend the backoff.
      else if (wasHealthy && !condition.isHealthy(priority, this.#options.now()))
        condition.countFailure(error.message)
      else this.#recordFailure(candidate, priority, error.message, error.retryAfterMs)
      throw error
    } finally {
      endProbe?.()
    }
  }

  /** Endpoints that are healthy, or due for a half-open probe. */
  available(priority: ReadPriority): EndpointCandidate[] {
    return this.candidates.filter((candidate) => this.#isAvailable(candidate, priority, false))
  }

  recordTip({ condition }: EndpointCandidate, tip: Tip): void {
    const now = this.#options.now()
    const others = this.candidates.map((one) => one.condition).filter((one) => one !== condition)
    condition.recordHead(tip.latest, now, others)
    condition.recordTags(tip, now)
  }

  countLacking(tags: Tags): number {
    const now = this.#options.now()
    return this.candidates.filter(({ condition }) => condition.lacksTags(tags, now)).length
  }

  canServe(tags: Tags): boolean {
    const now = this.#options.now()
    return this.candidates.some(
      ({ condition }) => condition.isHealthy('live', now) && !condition.lacksTags(tags, now),
    )
  }

  nextToProbe(inUse: EndpointCandidate, everyMs: number): EndpointCandidate | undefined {
    const now = this.#options.now()
    return this.candidates
      .filter((one) => {
        if (one === inUse || one.condition.isWrongChain(now)) return false
        if (!one.condition.isHealthy('live', now))
          return one.condition.isProbeDue('live', now, false)
        return now - one.condition.headRequestedAt >= everyMs
      })
      .toSorted((a, b) => a.condition.headRequestedAt - b.condition.headRequestedAt)[0]
  }

  health(): EndpointHealth[] {
    const now = this.#options.now()
    return this.candidates.map(({ place, endpoint, condition }) =>
      condition.health(place, endpoint.latency.median, now),
    )
  }

  /**
   * Returns the endpoints in the order in which they are tried. Healthy endpoints come first, in the configured order,
   * but lagging endpoints, those without the tags, and those that contradicted the others come later. Endpoints that
   * are due for a half-open probe follow.
   */
  #inOrder(priority: ReadPriority, tags: Tags, alone: boolean): EndpointCandidate[] {
    const now = this.#options.now()
    const well = this.candidates.filter(({ condition }) => condition.isHealthy(priority, now))
    const order = ({ condition }: EndpointCandidate) =>
      (condition.isLagging ? 1 : 0) +
      (condition.lacksTags(tags, now) ? 2 : 0) +
      (condition.isDisagreeing(now) ? 4 : 0)
    const due = this.candidates.filter(
      (one) => !well.includes(one) && one.condition.isProbeDue(priority, now, alone),
    )
    const usable = [...well.toSorted((a, b) => order(a) - order(b)), ...due]
    if (!this.#options.triesOpen) return usable
    return [...usable, ...this.candidates.filter((one) => !usable.includes(one))]
  }

  #isAvailable({ condition }: EndpointCandidate, priority: ReadPriority, alone: boolean): boolean {
    const now = this.#options.now()
    return condition.isHealthy(priority, now) || condition.isProbeDue(priority, now, alone)
  }

  /** A request to an endpoint that is not due for a probe leaves its backoff unchanged if it fails. */
  #startProbe(candidate: EndpointCandidate, priority: ReadPriority): (() => void) | undefined {
    const isEarly = this.#options.triesOpen && !this.#isAvailable(candidate, priority, false)
    return isEarly ? undefined : candidate.condition.startProbe(priority)
  }

  #recordSuccess({ place, condition }: EndpointCandidate, priority: ReadPriority): void {
    if (condition.recordSuccess(priority, this.#options.now()))
      this.#options.log('rpc.back', { endpoint: place })
  }

  /** @param kind does not contain text from the provider, so it is safe to log */
  #recordFailure(
    { place, endpoint, condition }: EndpointCandidate,
    priority: ReadPriority,
    kind: string,
    wait?: number,
  ) {
    const { now, random, log } = this.#options
    const ms = condition.recordFailure(priority, kind, now(), random(), wait)
    if (ms === undefined) return
    endpoint.recheckChainId()
    log('rpc.out', { endpoint: place, lane: priority, failure: kind, for_ms: Math.round(ms) })
  }
}
