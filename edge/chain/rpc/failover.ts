import type { Tip } from '../block-header.ts'
import type { EndpointHealth, ReadLane } from './chain-reader.ts'
import type { Endpoint } from './endpoint.ts'
import { EndpointCondition } from './endpoint-condition.ts'
import { EndpointFailed } from './endpoint-failure.ts'
import { ChainAway, NodeLags } from './rpc-failures.ts'

export type Candidate = { place: number; endpoint: Endpoint; condition: EndpointCondition }
export type Log = (event: string, facts: object) => void

type Tags = readonly ('safe' | 'finalized')[]
type Options = { now: () => number; random: () => number; log: Log }

export class Failover {
  readonly #all: readonly Candidate[]
  readonly #options: Options

  constructor(endpoints: readonly Endpoint[], options: Options) {
    this.#all = endpoints.map((endpoint, place) => ({
      place,
      endpoint,
      condition: new EndpointCondition(),
    }))
    this.#options = options
  }

  /**
   * Tries each endpoint at most once, in order, until one of them answers.
   * @param tags endpoints that serve these block tags are tried first
   * @throws {RangeRefused} from the first endpoint that rejects the range
   * @throws {NodeLags} if an endpoint lags and no other one answers
   * @throws {ChainAway} if no endpoint answers
   */
  async ask<T>(
    lane: ReadLane,
    question: (candidate: Candidate) => Promise<T>,
    tags: Tags = [],
  ): Promise<T> {
    const doubtful: { candidate: Candidate; kind: string }[] = []
    const failures: string[] = []
    let perhapsRange = false
    let lags: NodeLags | undefined
    const alone = !this.#all.some(({ condition }) => condition.isWell(lane, this.#options.now()))
    for (const candidate of this.#inOrder(lane, tags, alone)) {
      // The endpoint may have failed in the meantime, or another request may be its half-open probe.
      if (!this.#mayAsk(candidate, lane, alone)) continue
      try {
        const answer = await this.askOne(candidate, lane, question)
        // Another endpoint answered, so the request was not the cause of the earlier failures.
        for (const { candidate: failed, kind } of doubtful) this.#failed(failed, lane, kind)
        return answer
      } catch (error) {
        if (error instanceof NodeLags) {
          lags = error
          doubtful.push({ candidate, kind: 'lags' })
        } else if (error instanceof EndpointFailed) {
          perhapsRange ||= error.perhapsRange
          if (error.perhapsQuestion) doubtful.push({ candidate, kind: error.message })
          failures.push(error.kind)
        } else throw error
      }
    }
    if (lags) throw lags
    throw new ChainAway(undefined, { failures, perhapsRange })
  }

  /** Records a failure only if the endpoint itself is the cause. */
  async askOne<T>(
    candidate: Candidate,
    lane: ReadLane,
    question: (candidate: Candidate) => Promise<T>,
  ): Promise<T> {
    const tried = candidate.condition.tried(lane)
    try {
      const answer = await question(candidate)
      this.#answered(candidate, lane)
      return answer
    } catch (error) {
      if (error instanceof EndpointFailed && !error.perhapsQuestion)
        this.#failed(candidate, lane, error.message, error.retryAfterMs)
      // The endpoint is working, so an error that concerns only this request does not count against it.
      else this.#answered(candidate, lane)
      throw error
    } finally {
      tried()
    }
  }

  told({ condition }: Candidate, tip: Tip): void {
    const now = this.#options.now()
    const others = this.#all.map((one) => one.condition).filter((one) => one !== condition)
    condition.toldHead(tip.latest, now, others)
    condition.toldTags(tip, now)
  }

  /** Number of endpoints known not to serve one of the tags. */
  lacking(tags: Tags): number {
    const now = this.#options.now()
    return this.#all.filter(({ condition }) => condition.lacks(tags, now)).length
  }

  /** True if a healthy endpoint may serve all of the tags. */
  mayServe(tags: Tags): boolean {
    const now = this.#options.now()
    return this.#all.some(
      ({ condition }) => condition.isWell('live', now) && !condition.lacks(tags, now),
    )
  }

  /** Endpoint that is not in use and is due for a head request. */
  toLookAt(inUse: Candidate, everyMs: number): Candidate | undefined {
    const now = this.#options.now()
    return this.#all
      .filter((one) => {
        if (one === inUse || one.condition.isWrongChain(now)) return false
        if (!one.condition.isWell('live', now)) return one.condition.isDue('live', now, false)
        return now - one.condition.lookedAt >= everyMs
      })
      .toSorted((a, b) => a.condition.lookedAt - b.condition.lookedAt)[0]
  }

  health(): EndpointHealth[] {
    const now = this.#options.now()
    return this.#all.map(({ place, endpoint, condition }) =>
      condition.health(place, endpoint.latency.median, now),
    )
  }

  /**
   * Healthy endpoints in the configured order, but with lagging ones and those without the tags last, then endpoints
   * that are due for a half-open probe.
   */
  #inOrder(lane: ReadLane, tags: Tags, alone: boolean): Candidate[] {
    const now = this.#options.now()
    const well = this.#all.filter(({ condition }) => condition.isWell(lane, now))
    const order = ({ condition }: Candidate) =>
      (condition.isLagging ? 1 : 0) + (condition.lacks(tags, now) ? 2 : 0)
    const due = this.#all.filter(
      (one) => !well.includes(one) && one.condition.isDue(lane, now, alone),
    )
    return [...well.toSorted((a, b) => order(a) - order(b)), ...due]
  }

  #mayAsk({ condition }: Candidate, lane: ReadLane, alone: boolean): boolean {
    const now = this.#options.now()
    return condition.isWell(lane, now) || condition.isDue(lane, now, alone)
  }

  #answered({ place, condition }: Candidate, lane: ReadLane): void {
    if (condition.answered(lane, this.#options.now()))
      this.#options.log('rpc.back', { endpoint: place })
  }

  /**
   * Logs the failure if the circuit breaker opens.
   * @param kind text of our own, which is safe to log
   */
  #failed({ place, endpoint, condition }: Candidate, lane: ReadLane, kind: string, wait?: number) {
    const { now, random, log } = this.#options
    const ms = condition.failed(lane, kind, now(), random(), wait)
    if (ms === undefined) return
    endpoint.doubtChain()
    log('rpc.out', { endpoint: place, lane, failure: kind, for_ms: Math.round(ms) })
  }
}
