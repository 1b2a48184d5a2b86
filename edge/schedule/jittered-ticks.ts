import { sha256 } from '@noble/hashes/sha2.js'
import { SECOND_MS } from '../../shared/durations.ts'
import type { TickSource } from './tick-source.ts'

type Jitter = {
  triggerId: string
  /** Maximum delay in seconds. Less than the interval between two ticks. */
  seconds: number
  /** Set if a change of the clock can bring two ticks closer together than `seconds`. */
  isZoned: boolean
  /** A tick is not delayed beyond this time. */
  endsAt?: number | undefined
}

/**
 * Delays each tick by a pseudorandom number of seconds, which depends only on the trigger and the tick. Ticks keep their
 * order, because no tick is delayed as far as the next one.
 */
export class JitteredTicks implements TickSource {
  readonly #ticks: TickSource
  readonly #jitter: Jitter

  constructor(ticks: TickSource, jitter: Jitter) {
    this.#ticks = ticks
    this.#jitter = jitter
  }

  next(after: number): number | undefined {
    const [earlier] = this.#ticks.last(after + 1, 1)
    const delayed = earlier === undefined ? undefined : this.#delayed(earlier)
    if (delayed !== undefined && delayed > after) return delayed
    const tick = this.#ticks.next(after)
    return tick === undefined ? undefined : this.#delayed(tick)
  }

  last(before: number, count: number): number[] {
    const delayed = this.#ticks.last(before, count + 1).map((tick) => this.#delayed(tick))
    return delayed.filter((at) => at < before).slice(-count)
  }

  count(from: number, to: number): number {
    if (to < from) return 0
    const [first] = this.#ticks.last(from, 1)
    const [last] = this.#ticks.last(to + 1, 1)
    const isFirstLate = first !== undefined && this.#delayed(first) >= from
    const isLastLate = last !== undefined && this.#delayed(last) > to
    return this.#ticks.count(from, to) + Number(isFirstLate) - Number(isLastLate)
  }

  /** Returns the nominal time of a delayed tick. */
  nominal(delayed: number): number {
    return this.#ticks.last(delayed + 1, 1)[0] ?? delayed
  }

  #delayed(tick: number): number {
    const { triggerId, seconds, isZoned, endsAt } = this.#jitter
    const limits = [seconds * SECOND_MS]
    if (endsAt !== undefined) limits.push(endsAt - tick)
    const next = isZoned ? this.#ticks.next(tick) : undefined
    if (next !== undefined) limits.push(next - tick - SECOND_MS)
    const most = Math.max(0, Math.floor(Math.min(...limits) / SECOND_MS))
    return tick + (pseudorandom(triggerId, tick) % (most + 1)) * SECOND_MS
  }
}

/** Returns a number below 2^48. */
function pseudorandom(triggerId: string, tick: number): number {
  const digest = sha256(new TextEncoder().encode(`svc/jitter/v1/${triggerId}/${tick}`))
  return Buffer.from(digest.buffer, digest.byteOffset, digest.byteLength).readUIntBE(0, 6)
}
