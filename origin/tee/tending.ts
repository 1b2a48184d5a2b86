import type { Log } from '../log.ts'
import { TlsFilesUnusable } from '../tls/operator-files.ts'
import { certificateOf, endOf, type ServedTls } from '../tls/served-tls.ts'
import type { Evidence } from './evidence.ts'

export type TendedEvidence = {
  evidence: Evidence
  publicUrl: string
  tls: ServedTls
  /** Returns the same object as before if the files are unchanged. @throws {TlsFilesUnusable} */
  look: (served: ServedTls) => ServedTls
  serve: (tls: ServedTls) => void
  log: Log
}

/**
 * Renews the evidence when a new UTC day begins, or when the ACME client has written a new certificate. A new
 * certificate is served in the same step, so that it always matches the evidence. If either is unavailable, neither is
 * replaced.
 */
export class EvidenceTending {
  readonly #given: TendedEvidence
  #tls: ServedTls
  #certificate
  #endsAt: number
  #looking: Promise<void> | undefined
  #unusable = ''

  constructor(given: TendedEvidence) {
    this.#given = given
    this.#tls = given.tls
    this.#certificate = certificateOf(given.tls, given.publicUrl)
    this.#endsAt = endOf(given.tls)
  }

  /** Makes the first set of evidence. @throws {TeeUnavailable} */
  async start(): Promise<void> {
    await this.#given.evidence.make(this.#certificate)
  }

  /** Expiry of the served certificate, in Unix milliseconds. */
  get certificateEndsAt(): number {
    return this.#endsAt
  }

  /**
   * Renews the evidence if the certificate files or the date require it. Concurrent callers share one check. Never
   * throws.
   */
  look(): Promise<void> {
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined
    })
    return this.#looking
  }

  async #look(): Promise<void> {
    const { evidence, publicUrl, serve } = this.#given
    const tls = this.#found()
    const isSame = tls === this.#tls
    const certificate = isSame ? this.#certificate : certificateOf(tls, publicUrl)
    if (!evidence.isOldFor(certificate)) return
    await evidence.renew(certificate, () => {
      if (!isSame) serve(tls)
      this.#tls = tls
      this.#certificate = certificate
      this.#endsAt = endOf(tls)
    })
  }

  #found(): ServedTls {
    const { look, log } = this.#given
    try {
      const found = look(this.#tls)
      this.#unusable = ''
      return found
    } catch (error) {
      // Logs each reason only once. Files that are still being written will be complete at the next check.
      const reason = error instanceof TlsFilesUnusable ? error.message : 'unknown'
      if (reason !== this.#unusable) log('tls.unusable', { reason })
      this.#unusable = reason
      return this.#tls
    }
  }
}
