import type { Log } from '../log.ts'
import { type EvidenceSet, makeEvidenceSet, type ServedCertificate } from './evidence-set.ts'
import { dayOf, type EvidenceKeys } from './key-files.ts'
import { type TeeProvider, TeeUnavailable } from './provider.ts'

export type EvidenceOptions = {
  tee: TeeProvider
  keys: EvidenceKeys
  now: () => number
  log: Log
}

/** Holds the current evidence. A single caller renews it, with one renewal at a time. */
export class Evidence {
  readonly #options: EvidenceOptions
  #set: EvidenceSet | undefined
  #madeAt: number | undefined

  constructor(options: EvidenceOptions) {
    this.#options = options
  }

  /**
   * Returns the current set of matching files.
   * @throws {TeeUnavailable} before the first set is made, and when the last one has expired
   */
  current(): EvidenceSet {
    const { now } = this.#options
    if (this.#set && now() < this.#set.validUntil) return this.#set
    throw new TeeUnavailable('there is no evidence of today')
  }

  /** True if there is a set that has not expired. */
  get isThere(): boolean {
    return this.#set !== undefined && this.#options.now() < this.#set.validUntil
  }

  /** Unix milliseconds; undefined before the first set. */
  get madeAt(): number | undefined {
    return this.#madeAt
  }

  /** True if a new day has begun, or another certificate is to be served. */
  isOldFor(certificate: ServedCertificate): boolean {
    return this.#set?.certificate !== certificate || this.#set.day !== dayOf(this.#options.now())
  }

  /**
   * Makes new evidence and replaces the old set.
   * @param serve starts to serve the certificate, in one step with the replacement
   * @throws {TeeUnavailable} if it fails; the old set stays
   */
  async make(certificate: ServedCertificate, serve: () => void = () => {}): Promise<void> {
    const { tee, keys, now } = this.#options
    const at = now()
    const set = await makeEvidenceSet(tee, keys, certificate, at)
    serve()
    this.#set = set
    this.#madeAt = at
  }

  /** Like `make`, but logs a failure, for a caller that can continue with the old set. */
  async renew(certificate: ServedCertificate, serve?: () => void): Promise<void> {
    const { log } = this.#options
    try {
      await this.make(certificate, serve)
      log('evidence.renewed')
    } catch (error) {
      const reason = error instanceof Error ? error.message : 'unknown'
      log('evidence.failed', { reason: reason.slice(0, 300) })
    }
  }
}
