import { createPrivateKey, X509Certificate } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { backoffMs, withJitter } from '../../../shared/backoff.ts'
import { HOUR_MS, MINUTE_MS } from '../../../shared/durations.ts'
import { causeCode } from '../../../shared/errors/cause-code.ts'
import type { OriginLog } from '../../log.ts'
import { replaceFile } from '../../replace-file.ts'
import type { AbortableSleep } from '../../timeout.ts'
import {
  ACCOUNT_FILE,
  CHAIN_FILE,
  KEY_FILE,
  readOperatorTls,
  TlsFilesError,
} from '../operator-files.ts'
import type { ServedTls } from '../served-tls.ts'
import { AcmeError, type AcmeClient } from './acme-client.ts'
import { createCertificateRequest } from './certificate-request.ts'

/** Interval of checks whether the certificate is due for renewal. */
const CHECK_MS = HOUR_MS
/**
 * Delay after the first failed attempt, which doubles. Five attempts take an hour: Let's Encrypt refuses further ones
 * after five failed authorizations of an account and host in an hour.
 */
const RETRY_FIRST_MS = 4 * MINUTE_MS
const RETRY_MAX_MS = 2 * HOUR_MS
/** Attempts that another machine of the same account can thwart by finalizing the same order first. */
const ORDERS_MAX = 4
/** Share of the lifetime that is left when a certificate is renewed: 30 of 90 days. */
const RENEWAL_SHARE = 1 / 3

type CertificateIssuerOptions = {
  client: Pick<AcmeClient, 'accountUri' | 'certificate'>
  /** `SVC_TLS_DIR`. */
  folder: string
  domain: string
  now: () => number
  random: () => number
  sleep: AbortableSleep
  log: OriginLog
  signal: AbortSignal
}

type IssuedCertificate = Pick<ServedTls, 'key' | 'chain'>

/**
 * Obtains the certificate of this machine, with a key of its own, and renews it. Writes the files that the origin reads
 * from `SVC_TLS_DIR`.
 */
export class CertificateIssuer {
  readonly #options: CertificateIssuerOptions
  readonly #usable = Promise.withResolvers<void>()
  /**
   * Certificate that could not be stored, for example because the disk was full. It is not ordered again, because a
   * certificate authority issues only a few certificates for a name per week.
   */
  #unstored: IssuedCertificate | undefined

  constructor(options: CertificateIssuerOptions) {
    this.#options = options
  }

  /**
   * Resolves when the folder contains a certificate that has not expired. Continues with renewals in the background.
   */
  async start(): Promise<void> {
    mkdirSync(this.#options.folder, { recursive: true, mode: 0o700 })
    const found = this.#current()
    if (found && found.endsAt > this.#options.now()) this.#usable.resolve()
    this.#run().catch((error: unknown) => this.#usable.reject(error))
    await this.#usable.promise
  }

  async #run(): Promise<void> {
    const { sleep, random, log, signal } = this.#options
    for (let failures = 0; !signal.aborted;) {
      try {
        await this.#renewIfDue()
        this.#usable.resolve()
        failures = 0
      } catch (error) {
        if (signal.aborted) return
        log('acme.failed', { reason: reasonOf(error) })
        failures++
      }
      const retryMs = backoffMs(failures - 1, RETRY_FIRST_MS, RETRY_MAX_MS)
      await sleep(failures > 0 ? withJitter(retryMs, random()) : CHECK_MS, signal).catch(() => {})
    }
  }

  /** A certificate of another account is replaced, because the CAA record names this account. */
  async #renewIfDue(): Promise<void> {
    const { client, now } = this.#options
    const account = `${JSON.stringify({ uri: await client.accountUri() })}\n`
    const found = this.#current()
    if (found && found.account === account && now() < found.renewAt) return
    this.#unstored ??= await this.#order()
    this.#store({ ...this.#unstored, acmeAccount: account })
    this.#options.log('acme.issued')
  }

  /** @throws {TlsFilesError} if the certificate is not for the domain */
  #store({ key, chain, acmeAccount }: ServedTls): void {
    const { folder, domain } = this.#options
    // The key is written first: the origin uses the pair only if both match.
    replaceFile(join(folder, ACCOUNT_FILE), acmeAccount)
    replaceFile(join(folder, KEY_FILE), key)
    replaceFile(join(folder, CHAIN_FILE), chain)
    this.#unstored = undefined
    readOperatorTls(folder, domain)
  }

  async #order(): Promise<IssuedCertificate> {
    const { client, domain } = this.#options
    const { key, request } = await createCertificateRequest(domain)
    for (let attempt = 1; attempt <= ORDERS_MAX; attempt++) {
      const chain = await client.certificate(domain, request)
      if (isForKey(chain, key)) return { key, chain }
    }
    throw new AcmeError('other machines of this account finalize every order first')
  }

  #current(): { account: string; endsAt: number; renewAt: number } | undefined {
    const { folder, domain } = this.#options
    try {
      const { chain, acmeAccount } = readOperatorTls(folder, domain)
      const { validFromDate, validToDate } = new X509Certificate(chain)
      const endsAt = validToDate.getTime()
      const lifetime = endsAt - validFromDate.getTime()
      return { account: acmeAccount, endsAt, renewAt: endsAt - lifetime * RENEWAL_SHARE }
    } catch (error) {
      if (error instanceof TlsFilesError) return undefined
      throw error
    }
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof AcmeError || error instanceof TlsFilesError) return error.message
  return `the files cannot be written (${causeCode(error)})`
}

/** @throws {AcmeError} if the chain is not a certificate */
function isForKey(chain: string, key: string): boolean {
  try {
    return new X509Certificate(chain).checkPrivateKey(createPrivateKey(key))
  } catch {
    throw new AcmeError('the server returned no certificate')
  }
}
