import type { OriginLog } from '../log.ts'
import { TlsFilesError } from '../tls/operator-files.ts'
import { certificateOf, certificateExpiry, type ServedTls } from '../tls/served-tls.ts'
import type { Evidence } from './evidence.ts'

type EvidenceRenewerOptions = {
  evidence: Evidence
  publicUrl: string
  tls: ServedTls
  /**
   * Returns the same object as before if the files are unchanged.
   * @throws {TlsFilesError}
   */
  reloadTls: (served: ServedTls) => ServedTls
  serve: (tls: ServedTls) => void
  log: OriginLog
}

/**
 * Renews the evidence when a new UTC day begins, or when the ACME client has written a new certificate. A new
 * certificate is served in the same step, so that it always matches the evidence. If the certificate or the evidence is
 * unavailable, neither is replaced.
 */
export class EvidenceRenewer {
  readonly #options: EvidenceRenewerOptions
  #tls: ServedTls
  #certificate
  #checking: Promise<void> | undefined
  #unusable = ''

  constructor(options: EvidenceRenewerOptions) {
    this.#options = options
    this.#tls = options.tls
    this.#certificate = certificateOf(options.tls, options.publicUrl)
  }

  /** @throws {TeeUnavailableError} */
  async start(): Promise<void> {
    await this.#options.evidence.make(this.#certificate)
  }

  /** Expiry of the served certificate, in Unix milliseconds. */
  get certificateEndsAt(): number {
    return certificateExpiry(this.#tls)
  }

  /** Concurrent callers share one check. Never throws. */
  renewIfDue(): Promise<void> {
    this.#checking ??= this.#renewIfDue().finally(() => {
      this.#checking = undefined
    })
    return this.#checking
  }

  async #renewIfDue(): Promise<void> {
    const { evidence, publicUrl, serve } = this.#options
    const tls = this.#reloadTls()
    const isSame = tls === this.#tls
    const certificate = isSame ? this.#certificate : certificateOf(tls, publicUrl)
    if (!evidence.needsRenewal(certificate)) return
    await evidence.renew(certificate, () => {
      if (!isSame) serve(tls)
      this.#tls = tls
      this.#certificate = certificate
    })
  }

  #reloadTls(): ServedTls {
    const { reloadTls, log } = this.#options
    try {
      const found = reloadTls(this.#tls)
      this.#unusable = ''
      return found
    } catch (error) {
      // Logs each reason only once. Files that are still being written will be complete at the next check.
      const reason = error instanceof TlsFilesError ? error.message : 'unknown'
      if (reason !== this.#unusable) log('tls.unusable', { reason })
      this.#unusable = reason
      return this.#tls
    }
  }
}
