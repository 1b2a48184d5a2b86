/** What a client knows of its origin: looked at before the first key is sent, and again when it is an hour old. */
import type { ActionStatement } from '../../action-statement.ts'
import type { Policy } from '../../attestation/policy.ts'
import type { Report } from '../../attestation/report.ts'
import { CHANNEL_KEY_MAX_AGE_MS } from '../../limits.ts'
import { isLoopback } from '../../loopback.ts'
import type { Receipt } from '../../receipt.ts'
import type { ClientPolicy, Verify } from '../options.ts'
import { type Surroundings, slept } from '../surroundings.ts'
import { clientPolicy } from './client-policy.ts'
import { EvidenceRefused } from './failures.ts'
import { PinnedApplication } from './pinned-application.ts'
import type { TrustedOrigin } from './trusted-origin.ts'

export type VerificationOptions = {
  baseUrl: string
  verify: Verify
  policy?: ClientPolicy | undefined
  fetch: typeof fetch
  random: (bytes: number) => Uint8Array<ArrayBuffer>
  /** Unix milliseconds. */
  now: () => number
  sleep?: Surroundings['sleep'] | undefined
  /** Of the client: ends the verification for all who wait. */
  signal?: AbortSignal | undefined
}

/** Some times what a verification takes: so long another's is waited for, which may have gone with its request. */
const JOINED_MS = 5_000

export class OriginVerification {
  readonly #options: VerificationOptions
  readonly #policy: Policy
  readonly #pinned: PinnedApplication
  #trusted: TrustedOrigin | undefined
  #underWay: Promise<TrustedOrigin> | undefined

  /** @throws {PolicyIncomplete} */
  constructor(options: VerificationOptions) {
    const { baseUrl, verify, policy } = options
    this.#options = options
    this.#policy = clientPolicy(baseUrl, verify, policy)
    this.#pinned = new PinnedApplication(verify)
  }

  /** Scheme, host and port. */
  get origin(): string {
    return new URL(this.#options.baseUrl).origin
  }

  /** Whether actions go sealed where a call does not say. */
  get sealsByDefault(): boolean {
    return this.#options.verify === 'required'
  }

  /** Whether anything is believed for the evidence's sake; under `never` for that of TLS alone. */
  get judges(): boolean {
    return this.#options.verify !== 'never'
  }

  /**
   * Resolves when an API key, a proof or a usage key may leave for this origin. Under `never` at once, and nothing is
   * asked.
   * @param signal ends this wait alone
   * @throws {EvidenceUnavailable | EvidenceRefused | EvidenceChanged}
   */
  async beforeCredential(signal?: AbortSignal): Promise<void> {
    if (this.judges) await this.trusted(signal)
  }

  /** The origin as it was verified within the hour; verified now where it was not. Under `never`, too. */
  async trusted(signal?: AbortSignal): Promise<TrustedOrigin> {
    signal?.throwIfAborted()
    const trusted = this.#trusted
    if (trusted && isCurrent(trusted, this.#options.now())) return trusted
    return until(this.#verification(), signal)
  }

  /** What the evidence shows now. What passes is relied on from now on. */
  async report(signal?: AbortSignal): Promise<Report> {
    signal?.throwIfAborted()
    const { report } = await until(this.#verification(), signal)
    return report
  }

  /**
   * What a receipt says, when the verified origin has signed it. It may be of an earlier version of the application: its
   * `compose_hash` says which.
   * @throws {ReceiptRefused}
   */
  async receipt(text: string, signal?: AbortSignal): Promise<Receipt> {
    const trusted = await this.trusted(signal)
    const { receiptOf } = await import('./verifier.ts')
    return receiptOf(text, trusted)
  }

  /**
   * What a statement on an action's key says, when the verified origin has signed it for this action.
   * @throws {StatementRefused}
   */
  async actionStatement(text: string, cid: string, signal?: AbortSignal): Promise<ActionStatement> {
    const trusted = await this.trusted(signal)
    const { actionStatementOf } = await import('./verifier.ts')
    return actionStatementOf(text, cid, trusted)
  }

  /** One for all who ask meanwhile. What fails is not kept: who asks next tries again. */
  async #verification(): Promise<TrustedOrigin> {
    for (let underWay = this.#underWay; underWay; underWay = this.#underWay) {
      const verified = await this.#joined(underWay)
      if (verified) return verified
      if (this.#underWay === underWay) this.#underWay = undefined
    }
    const own = this.#verified().finally(() => {
      if (this.#underWay === own) this.#underWay = undefined
    })
    this.#underWay = own
    return own
  }

  /**
   * What somebody else has begun; `undefined` where that does not end. In a Worker nothing goes on of a request that is
   * over, and what waits for it would wait for ever.
   */
  async #joined(underWay: Promise<TrustedOrigin>): Promise<TrustedOrigin | undefined> {
    const { sleep = slept } = this.#options
    const waited = new AbortController()
    const late = sleep(JOINED_MS, waited.signal).then(
      () => undefined,
      () => undefined,
    )
    try {
      return await Promise.race([underWay, late])
    } finally {
      waited.abort()
    }
  }

  async #verified(): Promise<TrustedOrigin> {
    // Not before it passes again is anything sent: what was known may have been known wrongly.
    this.#trusted = undefined
    const { baseUrl, fetch, random, now, signal } = this.#options
    const { judgedOrigin } = await import('./verifier.ts')
    const trusted = await judgedOrigin({
      baseUrl,
      fetch: (url, init) => fetch(url, init),
      policy: this.#policy,
      random,
      now,
      ...(signal && { signal }),
    })
    const report = this.#withHost(trusted)
    this.#pinned.require(report)
    this.#trusted = { ...trusted, report, verifyAgain: () => this.#verification() }
    return this.#trusted
  }

  /** What the evidence's own names say of where plain calls end: at the machine, or at who passes its evidence on. */
  #withHost({ report, hosts }: TrustedOrigin): Report {
    const { hostname } = new URL(this.#options.baseUrl)
    if (isLoopback(hostname) || hosts.some((host) => host.toLowerCase() === hostname)) return report
    const foreign = `the evidence is of ${hosts.join(', ')}, and the base URL names ${hostname}, where TLS ends before the machine`
    if (this.#options.verify === 'required')
      throw new EvidenceRefused('certificate', foreign, report)
    return { ...report, open: [...report.open, `Who reads plain calls: ${foreign}.`] }
  }
}

/** A clock that was set back would make an hour longer. */
function isCurrent({ verifiedUntil }: TrustedOrigin, now: number): boolean {
  return now < verifiedUntil && verifiedUntil - now <= CHANNEL_KEY_MAX_AGE_MS
}

/** @throws the signal's reason, when that is earlier */
function until<Value>(promise: Promise<Value>, signal: AbortSignal | undefined): Promise<Value> {
  if (!signal) return promise
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(signal.reason)
    signal.addEventListener('abort', giveUp, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', giveUp))
  })
}
