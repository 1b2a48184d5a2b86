import { DAY_MS } from '../../shared/durations.ts'
import { MIRROR_STALE_MS } from '../../shared/limits.ts'
import { isDownReason, HEALTH_MESSAGES, type HealthReasonCode } from './reasons.ts'

/**
 * Sources of the health report. They are read from memory only, because any client may request `/health` at any rate.
 */
export type HealthSources = {
  now: () => number
  mirror: { ageMs: number; current(): unknown }
  pollMs: number
  isDraining: () => boolean
  isDatabaseAway: () => boolean
  areExecutorsBroken: () => boolean
  /** Event loop load. `delayMs` is the median delay in the last second; above `maxDelayMs`, requests are shed. */
  load: { delayMs: number; maxDelayMs: number }
  isGasLow: () => boolean
  isGasBudgetLow: () => boolean
  isEvidenceCurrent: () => boolean
  /** Unix milliseconds. */
  certificateEndsAt: () => number
  isProcessorAway: () => boolean
  /** Number of accounts for which the last audit found differences. */
  auditDifferences: () => number
}

type OriginHealthReason = { code: HealthReasonCode; message: string }

type OriginHealth = { status: 'ok' | 'degraded' | 'down'; reasons: OriginHealthReason[] }

/** Number of missed polls after which the chain counts as unreachable, but not before the minimum time has passed. */
const MISSED_POLLS = 3
const MISSED_POLLS_MIN_MS = 5_000

/** ACME clients renew 30 days before expiry, so renewal has then been failing for weeks. */
const CERTIFICATE_WARNING_MS = 10 * DAY_MS

export class Health {
  readonly #sources: HealthSources

  constructor(sources: HealthSources) {
    this.#sources = sources
  }

  /**
   * Reports the health of the origin. `down` means that a load balancer should send requests elsewhere. `degraded`
   * means that an operator should investigate.
   */
  check(): OriginHealth {
    const reasons = [...this.#codes()].map((code) => ({ code, message: HEALTH_MESSAGES[code] }))
    if (reasons.length === 0) return { status: 'ok', reasons }
    return { status: reasons.some(({ code }) => isDownReason(code)) ? 'down' : 'degraded', reasons }
  }

  *#codes(): Iterable<HealthReasonCode> {
    const { now, pollMs, load, ...known } = this.#sources
    if (known.isDraining()) yield 'draining'
    if (this.#isMirrorStale()) yield 'mirror_stale'
    else if (known.mirror.ageMs > Math.max(MISSED_POLLS * pollMs, MISSED_POLLS_MIN_MS))
      yield 'chain_away'
    if (known.isDatabaseAway()) yield 'database_away'
    if (known.areExecutorsBroken()) yield 'executors_not_starting'
    if (load.delayMs > load.maxDelayMs) yield 'overloaded'
    if (known.isGasLow()) yield 'payer_out_of_gas'
    if (known.isGasBudgetLow()) yield 'gas_budget_low'
    if (!known.isEvidenceCurrent()) yield 'evidence_out_of_date'
    if (known.certificateEndsAt() - now() < CERTIFICATE_WARNING_MS) yield 'certificate_ends'
    if (known.isProcessorAway()) yield 'processor_away'
    if (known.auditDifferences() > 0) yield 'books_differ'
  }

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
