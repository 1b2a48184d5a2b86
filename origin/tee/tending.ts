import type { Log } from '../log.ts'
import { TlsFilesUnusable } from '../tls/operator-files.ts'
import { certificateOf, endOf, type ServedTls } from '../tls/served-tls.ts'
import type { Evidence } from './evidence.ts'

export type TendedEvidence = {
  evidence: Evidence
  publicUrl: string
  /** What is served now. */
  tls: ServedTls
  /** What is there to be served: the same object as before where it has not changed. @throws {TlsFilesUnusable} */
  look: (served: ServedTls) => ServedTls
  /** Serves TLS with it from now on. */
  serve: (tls: ServedTls) => void
  log: Log
}

/**
 * Renews the evidence when a day has begun or the ACME client has left another certificate, which is then served in the
 * same step, so that certificate and evidence fit. Where one of the two can not be had, both stay as they were.
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

  /** The first evidence. @throws {TeeUnavailable} */
  async start(): Promise<void> {
    await this.#given.evidence.make(this.#certificate)
  }

  /** When the certificate that is served runs out, in Unix milliseconds. */
  get certificateEndsAt(): number {
    return this.#endsAt
  }

  /** One look, and what follows from it; a second caller waits for the first one's. Never throws. */
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
      // Said once: files that are being written are whole at the next look.
      const reason = error instanceof TlsFilesUnusable ? error.message : 'unknown'
      if (reason !== this.#unusable) log('tls.unusable', { reason })
      this.#unusable = reason
      return this.#tls
    }
  }
}
