import { MIRROR_STALE_MS } from '../../shared/limits.ts'
import { isDown, MESSAGES, type ReasonCode } from './reasons.ts'

/** Sources of the health state. All are read from memory, because anyone may request it, as often as they like. */
export type HealthSources = {
  /** Unix milliseconds. */
  now: () => number
  mirror: { ageMs: number; current(): unknown }
  /** Poll interval of the chain, in milliseconds. */
  pollMs: number
  isDatabaseAway: () => boolean
  areExecutorsBroken: () => boolean
  /** Median delay of the event loop in the last second, and the delay above which requests are shed. */
  load: { delayMs: number; maxDelayMs: number }
  isGasLow: () => boolean
  isEvidenceThere: () => boolean
  /** Unix milliseconds. */
  certificateEndsAt: () => number
  isProcessorAway: () => boolean
  /** Number of accounts with differences in the last audit. */
  auditDifferences: () => number
}

export type HealthReason = { code: ReasonCode; message: string }

export type HealthState = { status: 'ok' | 'degraded' | 'down'; reasons: HealthReason[] }

/** Missed polls before the chain counts as away. */
const LOOKS_MISSED = 3
const LOOKS_MISSED_MIN_MS = 5_000

/** ACME clients renew at 30 days, so less time than this means that renewal has been failing for weeks. */
const CERTIFICATE_SOON_MS = 10 * 24 * 60 * 60 * 1000

/** Determines the health of this process from its components. */
export class Health {
  readonly #sources: HealthSources

  constructor(sources: HealthSources) {
    this.#sources = sources
  }

  /**
   * Returns `down` if a load balancer should not send requests here, and `degraded` if an operator should take a look.
   */
  look(): HealthState {
    const reasons = [...this.#codes()].map((code) => ({ code, message: MESSAGES[code] }))
    if (reasons.length === 0) return { status: 'ok', reasons }
    return { status: reasons.some(({ code }) => isDown(code)) ? 'down' : 'degraded', reasons }
  }

  *#codes(): Iterable<ReasonCode> {
    const { now, pollMs, load, ...known } = this.#sources
    if (this.#isMirrorStale()) yield 'mirror_stale'
    else if (known.mirror.ageMs > Math.max(LOOKS_MISSED * pollMs, LOOKS_MISSED_MIN_MS))
      yield 'chain_away'
    if (known.isDatabaseAway()) yield 'database_away'
    if (known.areExecutorsBroken()) yield 'executors_not_starting'
    if (load.delayMs > load.maxDelayMs) yield 'overloaded'
    if (known.isGasLow()) yield 'payer_out_of_gas'
    if (!known.isEvidenceThere()) yield 'evidence_out_of_date'
    if (known.certificateEndsAt() - now() < CERTIFICATE_SOON_MS) yield 'certificate_ends'
    if (known.isProcessorAway()) yield 'processor_away'
    if (known.auditDifferences() > 0) yield 'books_differ'
  }

  /** Returns whether the mirror is too old, or lacks a block that another process requires. */
  #isMirrorStale(): boolean {
    const { mirror } = this.#sources
    if (mirror.ageMs > MIRROR_STALE_MS) return true
    try {
      mirror.current()
      return false
    } catch {
      return true
    }
  }
}
