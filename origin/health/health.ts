import { MIRROR_STALE_MS } from '../../shared/limits.ts'
import { isDown, MESSAGES, type ReasonCode } from './reasons.ts'

/** What the parts know of themselves. Each is read from memory: anybody may ask, as often as they like. */
export type HealthSources = {
  /** Unix milliseconds. */
  now: () => number
  mirror: { ageMs: number; current(): unknown }
  /** Looks at the chain are so far apart, in milliseconds. */
  pollMs: number
  isDatabaseAway: () => boolean
  areExecutorsBroken: () => boolean
  /** Median lateness of the event loop in the last second, and where requests are shed. */
  load: { delayMs: number; maxDelayMs: number }
  isGasLow: () => boolean
  isEvidenceThere: () => boolean
  /** Unix milliseconds. */
  certificateEndsAt: () => number
  isProcessorAway: () => boolean
  /** Accounts that the last audit complained of. */
  auditDifferences: () => number
}

export type HealthReason = { code: ReasonCode; message: string }

export type HealthState = { status: 'ok' | 'degraded' | 'down'; reasons: HealthReason[] }

/** Looks at the chain that may fail before it counts as away. */
const LOOKS_MISSED = 3
const LOOKS_MISSED_MIN_MS = 5_000

/** ACME clients renew at 30 days: a certificate that has so little left is one that could not be renewed for weeks. */
const CERTIFICATE_SOON_MS = 10 * 24 * 60 * 60 * 1000

/** How this process is, by what its parts know of themselves. */
export class Health {
  readonly #sources: HealthSources

  constructor(sources: HealthSources) {
    this.#sources = sources
  }

  /** `down` where a balancer should send nobody here; `degraded` where somebody should look. */
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

  /** Too old, or not to be used since another process requires a later block. */
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
