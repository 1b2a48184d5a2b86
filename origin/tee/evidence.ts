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

/** The evidence that is shown now. One caller renews it, one renewal at a time. */
export class Evidence {
  readonly #options: EvidenceOptions
  #set: EvidenceSet | undefined
  #madeAt: number | undefined

  constructor(options: EvidenceOptions) {
    this.#options = options
  }

  /**
   * The set of files that fit together.
   * @throws {TeeUnavailable} before the first is made, and when the last one has run out
   */
  current(): EvidenceSet {
    const { now } = this.#options
    if (this.#set && now() < this.#set.validUntil) return this.#set
    throw new TeeUnavailable('there is no evidence of today')
  }

  /** Whether there is a set that has not run out. */
  get isThere(): boolean {
    return this.#set !== undefined && this.#options.now() < this.#set.validUntil
  }

  /** Unix milliseconds; undefined before the first. */
  get madeAt(): number | undefined {
    return this.#madeAt
  }

  /** Whether another day has begun, or another certificate is to be served. */
  isOldFor(certificate: ServedCertificate): boolean {
    return this.#set?.certificate !== certificate || this.#set.day !== dayOf(this.#options.now())
  }

  /**
   * Makes the evidence anew and replaces the old set by it.
   * @param serve begins to serve the certificate; in one step with the replacement
   * @throws {TeeUnavailable} the old set stays
   */
  async make(certificate: ServedCertificate, serve: () => void = () => {}): Promise<void> {
    const { tee, keys, now } = this.#options
    const at = now()
    const set = await makeEvidenceSet(tee, keys, certificate, at)
    serve()
    this.#set = set
    this.#madeAt = at
  }

  /** The same for who can go on with the old set: a failure is logged. */
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
