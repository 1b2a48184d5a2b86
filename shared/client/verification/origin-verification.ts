/** Verifies the origin before the first key is sent, and again after an hour. */
import type { ActionStatement } from '../../receipts/action-statement.ts'
import type { AuditHead } from '../../audit-log/head.ts'
import type { SignedAuditLog } from '../../audit-log/verify-log.ts'
import type { Policy } from '../../attestation/policy.ts'
import type { Report } from '../../attestation/report.ts'
import { CHANNEL_KEY_MAX_AGE_MS } from '../../limits.ts'
import { isLoopback } from '../../network/loopback.ts'
import type { Receipt } from '../../receipts/receipt.ts'
import { abortable } from '../abortable.ts'
import { type RuntimeEnvironment, cancelableSleep } from '../runtime-environment.ts'
import { type ClientPolicy, clientPolicy, type Verify } from './client-policy.ts'
import { EvidenceRefused, EvidenceChanged } from './failures.ts'
import type { TrustedOrigin } from './trusted-origin.ts'

type VerificationOptions = {
  baseUrl: string
  verify: Verify
  policy?: ClientPolicy | undefined
  fetch: typeof fetch
  random: (bytes: number) => Uint8Array<ArrayBuffer>
  now: () => number
  sleep?: RuntimeEnvironment['sleep'] | undefined
  /** Signal that aborts a verification for all callers that wait for it. */
  signal?: AbortSignal | undefined
}

/**
 * Maximum wait for a verification that another caller started: a few times its usual duration. The wait is limited,
 * because the verification never completes if the other caller's request has ended.
 */
const JOIN_TIMEOUT_MS = 5_000

export class OriginVerification {
  readonly #options: VerificationOptions
  readonly #policy: Policy
  readonly #pinned: PinnedApplication
  #trusted: TrustedOrigin | undefined
  #inFlight: Promise<TrustedOrigin> | undefined

  /** Creates an unverified origin. @throws {PolicyIncomplete} if the policy for `verify: 'required'` is incomplete */
  constructor(options: VerificationOptions) {
    const { baseUrl, verify, policy } = options
    this.#options = options
    this.#policy = clientPolicy(baseUrl, verify, policy)
    this.#pinned = new PinnedApplication(verify)
  }

  /** Scheme, host and port of the origin. */
  get origin(): string {
    return new URL(this.#options.baseUrl).origin
  }

  get sealsByDefault(): boolean {
    return this.#options.verify === 'required'
  }

  /** True if the origin's evidence is verified. False under `verify: 'never'`, which relies on TLS alone. */
  get judges(): boolean {
    return this.#options.verify !== 'never'
  }

  /**
   * Waits until a key or a proof may be sent to the origin. Resolves immediately under `verify: 'never'`.
   * @param signal aborts only the wait of this caller
   * @throws {EvidenceUnavailable | EvidenceRefused | EvidenceChanged}
   */
  async beforeCredential(signal?: AbortSignal): Promise<void> {
    if (this.judges) await this.trusted(signal)
  }

  /** Verifies the origin unless it was verified within the last hour, even under `verify: 'never'`. */
  async trusted(signal?: AbortSignal): Promise<TrustedOrigin> {
    signal?.throwIfAborted()
    const trusted = this.#trusted
    if (trusted && isCurrent(trusted, this.#options.now())) return trusted
    return abortable(this.#verifyOnce(), signal)
  }

  /** Verifies the origin's current evidence. If the evidence passes, the result replaces the earlier one. */
  async report(signal?: AbortSignal): Promise<Report> {
    signal?.throwIfAborted()
    const { report } = await abortable(this.#verifyOnce(), signal)
    return report
  }

  /**
   * Verifies a receipt. The receipt may be from another version of the application, which `compose_hash` shows.
   * @throws {ReceiptRefused}
   */
  async receipt(text: string, signal?: AbortSignal): Promise<Receipt> {
    const trusted = await this.trusted(signal)
    const { verifyOriginReceipt } = await import('./verifier.ts')
    return verifyOriginReceipt(text, trusted)
  }

  /** Verifies the entries of an audit log, oldest first, and its head. @throws {AuditLogRefused} */
  async auditLog(log: SignedAuditLog, signal?: AbortSignal): Promise<AuditHead> {
    const trusted = await this.trusted(signal)
    const { verifyOriginAuditLog } = await import('./verifier.ts')
    return verifyOriginAuditLog(log, trusted)
  }

  /** Verifies the origin's statement about an action. @throws {StatementRefused} */
  async actionStatement(text: string, cid: string, signal?: AbortSignal): Promise<ActionStatement> {
    const trusted = await this.trusted(signal)
    const { verifyActionStatement } = await import('./verifier.ts')
    return verifyActionStatement(text, cid, trusted)
  }

  /** Verifies the origin, single-flight. Failures are not cached, so the next caller tries again. */
  async #verifyOnce(): Promise<TrustedOrigin> {
    for (let underWay = this.#inFlight; underWay; underWay = this.#inFlight) {
      const verified = await this.#join(underWay)
      if (verified) return verified
      if (this.#inFlight === underWay) this.#inFlight = undefined
    }
    const own = this.#verify().finally(() => {
      if (this.#inFlight === own) this.#inFlight = undefined
    })
    this.#inFlight = own
    return own
  }

  /**
   * Waits for a verification in flight. Undefined after a timeout. In a Worker, the work of a finished request stops,
   * and a promise that depends on the work never settles.
   */
  async #join(inFlight: Promise<TrustedOrigin>): Promise<TrustedOrigin | undefined> {
    const { sleep = cancelableSleep } = this.#options
    const waited = new AbortController()
    const late = sleep(JOIN_TIMEOUT_MS, waited.signal).then(
      () => undefined,
      () => undefined,
    )
    try {
      return await Promise.race([inFlight, late])
    } finally {
      waited.abort()
    }
  }

  async #verify(): Promise<TrustedOrigin> {
    // The origin is not trusted until it passes verification again, because the earlier result may have been wrong.
    this.#trusted = undefined
    const { baseUrl, fetch, random, now, signal } = this.#options
    const { verifyTrustedOrigin } = await import('./verifier.ts')
    const trusted = await verifyTrustedOrigin({
      baseUrl,
      fetch: (url, init) => fetch(url, init),
      policy: this.#policy,
      random,
      now,
      ...(signal && { signal }),
    })
    const report = this.#checkHost(trusted)
    this.#pinned.require(report)
    this.#trusted = { ...trusted, report, verifyAgain: () => this.#verifyOnce() }
    return this.#trusted
  }

  /**
   * Requires the base URL's host to be in the evidence. Otherwise, TLS may terminate before the connection reaches the
   * machine.
   */
  #checkHost({ report, hosts }: TrustedOrigin): Report {
    const { hostname } = new URL(this.#options.baseUrl)
    if (isLoopback(hostname) || hosts.some((host) => host.toLowerCase() === hostname)) return report
    const foreign = `the evidence is for ${hosts.join(', ')}, but the base URL names ${hostname}, where TLS ends before the machine`
    if (this.#options.verify === 'required')
      throw new EvidenceRefused('certificate', foreign, report)
    return { ...report, open: [...report.open, `Who can read unsealed calls: ${foreign}.`] }
  }
}

/**
 * Returns true if the verification has not expired. A `verifiedUntil` that is too far in the future is also invalid,
 * because setting the clock back would extend the hour.
 */
function isCurrent({ verifiedUntil }: TrustedOrigin, now: number): boolean {
  return now < verifiedUntil && verifiedUntil - now <= CHANNEL_KEY_MAX_AGE_MS
}

/**
 * The origin's application, which is pinned on first use for the lifetime of the client. Under `verify: 'required'`,
 * the policy lists the accepted compose hashes, so an upgrade to another accepted hash is allowed.
 */
class PinnedApplication {
  readonly #pinsCompose: boolean
  #seen: Application | undefined

  constructor(verify: Verify) {
    this.#pinsCompose = verify !== 'required'
  }

  /** @throws {EvidenceChanged} if the report passed, but is for another application */
  require(report: Report): void {
    const found = applicationIn(report)
    const seen = (this.#seen ??= found)
    for (const field of ['root', 'app id', 'compose hash'] as const)
      if (found[field] !== seen[field] && (field !== 'compose hash' || this.#pinsCompose))
        throw new EvidenceChanged(field, seen[field], found[field])
  }
}

type Application = Record<EvidenceChanged['field'], string>

function applicationIn({ root, appId, composeHash }: Report): Application {
  if (!root || appId === undefined || composeHash === undefined)
    throw new Error('evidence that passed names its root and its application')
  return { root: root.spkiSha256, 'app id': appId, 'compose hash': composeHash }
}
