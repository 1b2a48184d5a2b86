import type { OriginLog } from '../log.ts'
import { type EvidenceSet, makeEvidenceSet, type ServedCertificate } from './evidence-set.ts'
import { utcDay, type EvidenceKeyPairs } from './key-files.ts'
import { type TeeProvider, TeeUnavailableError } from './provider.ts'

type EvidenceOptions = {
  tee: TeeProvider
  keys: EvidenceKeyPairs
  now: () => number
  log: OriginLog
}

/**
 * Holds the current set of evidence. Concurrent renewals are not supported, so only one caller may renew the evidence.
 */
export class Evidence {
  readonly #options: EvidenceOptions
  #set: EvidenceSet | undefined
  #madeAt: number | undefined

  constructor(options: EvidenceOptions) {
    this.#options = options
  }

  /** @throws {TeeUnavailableError} before the first set is made, and after the last set has expired */
  current(): EvidenceSet {
    if (this.#set && this.isThere) return this.#set
    throw new TeeUnavailableError('the evidence is out of date')
  }

  /** True if a set of evidence exists and has not expired. */
  get isThere(): boolean {
    return this.#set !== undefined && this.#options.now() < this.#set.validUntil
  }

  /** Time at which the current set was made, in Unix milliseconds. Undefined before the first set is made. */
  get madeAt(): number | undefined {
    return this.#madeAt
  }

  needsRenewal(certificate: ServedCertificate): boolean {
    return this.#set?.certificate !== certificate || this.#set.day !== utcDay(this.#options.now())
  }

  /**
   * @param serve called synchronously just before the replacement, to start serving the certificate
   * @throws {TeeUnavailableError} if making the evidence fails; the old set then remains in use
   */
  async make(certificate: ServedCertificate, serve: () => void = () => {}): Promise<void> {
    const { tee, keys, now } = this.#options
    const at = now()
    const set = await makeEvidenceSet(tee, keys, certificate, at)
    serve()
    this.#set = set
    this.#madeAt = at
  }

  /** Logs a failure instead of throwing, for callers that can continue with the old evidence. */
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
