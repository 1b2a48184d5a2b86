import { DAY_MS, HOUR_MS } from '../../shared/durations.ts'
import { encodeBase64url } from '../../shared/encoding/base64url.ts'
import { errorReason } from '../../shared/errors/api-error.ts'
import { KEY_STATES_PER_REQUEST_MAX } from '../../shared/limits.ts'
import { formatUsd } from '../../shared/usd.ts'
import type { AlertSignal, AlertThresholds } from '../../shared/wire/alert.ts'
import type { PolledSignal } from '../../shared/wire/alert-signals.ts'
import type { StoredUsageKey } from '../../shared/wire/sealed.ts'
import type { KeyState } from '../../shared/wire/sealed-key-states.ts'
import { chunks } from '../../shared/chunks.ts'
import { isEndPast } from '../deadline.ts'
import { type Sleep, withTimeout } from '../sleep.ts'
import type { SealedOrigin } from '../trust/sealed-origin.ts'
import { isoTime, type SharedProblem } from './incidents.ts'
import type {
  CheckedKey,
  ExpiringKey,
  LowAccount,
  UnpaidAccount,
  WatchedKeys,
} from './watched-keys.ts'

/** Interval of the checks of all keys. Thresholds of expiries are in days, so rare checks suffice. */
const CHECK_INTERVAL_MS = 6 * HOUR_MS

/** Interval of the checks of accounts. In between, one key of each account is checked. */
const ACCOUNT_INTERVAL_MS = HOUR_MS

/** Age up to which the result of the last pass is used when the settings change. */
const CURRENT_MS = 2 * CHECK_INTERVAL_MS

/** Delay after a failure, or after an eviction that interrupted a pass. */
const RETRY_MS = HOUR_MS

/** Time that the object of a trigger has to return its key. */
const KEY_WITHIN_MS = 10_000

/** Triggers that one alarm checks. Each is a call of its object, and the platform limits the calls of an invocation. */
const TRIGGERS_PER_ALARM = 320

type NamedTrigger = { id: string; name: string }

type KeyWatchOptions = {
  keys: WatchedKeys
  userId: () => string
  /** Signals that the user enabled anywhere. */
  enabledSignals: () => ReadonlySet<PolledSignal>
  thresholds: () => AlertThresholds
  /** Returns the user's enabled triggers. */
  triggers: () => Promise<NamedTrigger[]>
  sealedKey: (triggerId: string) => Promise<Uint8Array | undefined>
  origin: Pick<SealedOrigin, 'keyStates'>
  /** Records the current problems of a signal: opens their incidents, and resolves all others. */
  record: (signal: PolledSignal, problems: SharedProblem[], now: number) => void
  now: () => number
  /** Replaced by tests. */
  sleep?: Sleep
  armBy: (at: number) => void
  log: (event: string, facts: Record<string, string | number>) => void
}

/**
 * Checks the usage keys of a user's triggers at the origin (`docs/decisions/0149`). Sets no alarm unless the user
 * enabled one of the signals.
 */
export class KeyWatch {
  readonly #options: KeyWatchOptions
  #isRunning = false
  /** Triggers that were deleted during the check in progress. */
  readonly #forgotten = new Set<string>()
  /** Number of times that the signals were switched off. A check that began before stops. */
  #stops = 0

  constructor(options: KeyWatchOptions) {
    this.#options = options
  }

  /** Called when the settings may have changed. */
  update(now: number): void {
    if (!this.#isEnabled || this.#isCurrent(now)) this.#record(now)
    if (this.#isEnabled) return this.#options.armBy(Math.max(now, this.#dueAt(now)))
    this.#stops++
    this.#options.keys.clear()
  }

  forget(triggerId: string): void {
    if (this.#isRunning) this.#forgotten.add(triggerId)
    this.#options.keys.forget(triggerId)
  }

  /** Returns a trigger with the usage key or account that an incident of the signal is about. */
  triggerSharing(signal: AlertSignal, hash: string): NamedTrigger | undefined {
    const { keys } = this.#options
    return signal === 'key_expiring' ? keys.triggerWithKey(hash) : keys.triggerOfAccount(hash)
  }

  /** @returns the time of the next call */
  runDue(now: number, keepAlive: (work: Promise<void>) => void): number | undefined {
    if (!this.#isEnabled) return undefined
    const dueAt = this.#dueAt(now)
    if (now < dueAt) return dueAt
    if (!this.#isRunning) keepAlive(this.#run(now))
    return now + RETRY_MS
  }

  get #intervalMs(): number {
    return this.#watchesAccounts ? ACCOUNT_INTERVAL_MS : CHECK_INTERVAL_MS
  }

  get #watchesAccounts(): boolean {
    const signals = this.#options.enabledSignals()
    return signals.has('credit_low') || signals.has('payment_failed')
  }

  get #isEnabled(): boolean {
    return this.#options.enabledSignals().size > 0
  }

  #dueAt(now: number): number {
    const pass = this.#options.keys.pass()
    if (!pass) return now
    if (!pass.isFinished) return isEndPast(pass.nextAt, RETRY_MS, now) ? now : pass.nextAt
    if (this.#watchesAccounts && !pass.withBalances) return now
    const dueAt = Math.min(pass.nextAt, pass.startedAt + this.#intervalMs)
    return isEndPast(dueAt, this.#intervalMs, now) ? now : dueAt
  }

  /** Never rejects. */
  async #run(now: number): Promise<void> {
    const { armBy, log } = this.#options
    this.#isRunning = true
    this.#forgotten.clear()
    try {
      const next = await this.#continuePass(now)
      if (next !== undefined) armBy(next)
    } catch (error) {
      const reason = error instanceof Error ? error.message : 'unknown'
      log('key_check.failed', { reason })
    } finally {
      this.#isRunning = false
    }
  }

  /**
   * @returns the time at which the pass continues, or at which the next one starts. Undefined if the signals were switched
   *   off.
   */
  async #continuePass(now: number): Promise<number | undefined> {
    const { keys, now: clock, triggers } = this.#options
    const stops = this.#stops
    const last = keys.pass()
    const resumed = this.#unfinishedPass(now)
    const startedAt = resumed?.startedAt ?? now
    if (!resumed) keys.startPass(now)
    const withBalances = this.#watchesAccounts && (resumed?.withBalances ?? true)
    const fullAt = resumed?.fullAt ?? (this.#needsFullPass(last, now) ? now : last!.fullAt)
    const isFull = fullAt === startedAt
    const pass = { startedAt, fullAt, isFinished: false, withBalances }
    // The alarm was set for this time, in case the pass fails or the object is evicted.
    keys.setPass({ ...pass, nextAt: now + RETRY_MS })
    const enabled = await triggers()
    const isChecked = keys.checkedSince(startedAt)
    const left = isFull
      ? enabled.filter(({ id }) => !isChecked.has(id))
      : keys.oneOfEachAccount(enabled, startedAt)
    if (this.#stops !== stops) return this.#isEnabled ? clock() : undefined
    for (const some of chunks(left.slice(0, TRIGGERS_PER_ALARM), KEY_STATES_PER_REQUEST_MAX)) {
      const checked = await this.#check(some)
      if (this.#stops !== stops) return this.#isEnabled ? clock() : undefined
      const present = checked.filter(({ trigger }) => !this.#forgotten.has(trigger.id))
      keys.add(present, Math.max(startedAt, clock()))
    }
    if (left.length > TRIGGERS_PER_ALARM) {
      keys.setPass({ ...pass, nextAt: now })
      return now
    }
    const nextAt = startedAt + this.#intervalMs
    if (isFull) keys.forgetCheckedBefore(startedAt)
    else keys.keepOnly(enabled)
    keys.setPass({ ...pass, isFinished: true, nextAt })
    this.#record(clock())
    return this.#dueAt(clock())
  }

  /** A pass that did not read accounts does not know which triggers share one. */
  #needsFullPass(last: ReturnType<WatchedKeys['pass']>, now: number): boolean {
    if (!last?.withBalances || !this.#watchesAccounts) return true
    return Math.abs(now - last.fullAt) >= CHECK_INTERVAL_MS
  }

  /** An old pass is not resumed, because its first results are out of date. */
  #unfinishedPass(now: number) {
    const pass = this.#options.keys.pass()
    const isRecent = pass && Math.abs(now - pass.startedAt) < CHECK_INTERVAL_MS
    return isRecent && !pass.isFinished ? pass : undefined
  }

  async #check(triggers: readonly NamedTrigger[]): Promise<CheckedKey[]> {
    const stored = await Promise.all(triggers.map((trigger) => this.#storedKey(trigger)))
    const found = stored.filter((key) => key !== undefined)
    const states = found.length > 0 ? await this.#statesOf(found) : []
    const stateOf = new Map(found.map(({ trigger_id }, at) => [trigger_id, states[at] ?? null]))
    return triggers.map((trigger) => ({ trigger, state: stateOf.get(trigger.id) ?? null }))
  }

  /**
   * Returns undefined if the trigger was deleted.
   * @throws {Error} if the trigger's object does not respond
   */
  async #storedKey({ id }: NamedTrigger): Promise<StoredUsageKey | undefined> {
    const { sealedKey, sleep, userId } = this.#options
    const read = sealedKey(id).then((sealed) => ({ sealed }))
    const answer = await withTimeout(read, KEY_WITHIN_MS, sleep)
    if (!answer) throw new Error('the object of a trigger does not respond')
    const { sealed } = answer
    if (!sealed) return undefined
    const sealed_usage_key = encodeBase64url(sealed)
    return { sealed_usage_key, trigger_id: id, owner_id: userId() }
  }

  /** @throws {Error} if the origin refuses the request */
  async #statesOf(stored: StoredUsageKey[]): Promise<(KeyState | null)[]> {
    const response = await this.#options.origin.keyStates({
      stored,
      ...(this.#watchesAccounts && { balances: true, payments: true }),
    })
    if (response.state === 'refused') throw new Error(`refused: ${errorReason(response)}`)
    return response.keys
  }

  #record(now: number): void {
    const { enabledSignals, keys, record, thresholds } = this.#options
    const by = now + thresholds().expiry_days * DAY_MS
    const expiring = enabledSignals().has('key_expiring') ? keys.expiringBy(by) : []
    record('key_expiring', expiring.map(expiryProblem), now)
    const low = enabledSignals().has('credit_low')
      ? keys.accountsBelow(thresholds().credit_cents)
      : []
    record('credit_low', low.map(creditProblem), now)
    const unpaid = enabledSignals().has('payment_failed') ? keys.accountsWithFailedPayment() : []
    record('payment_failed', unpaid.map(paymentProblem), now)
  }

  /** Returns false if the last pass is too old, for example because no signal was enabled. */
  #isCurrent(now: number): boolean {
    const pass = this.#options.keys.pass()
    return pass !== undefined && Math.abs(now - pass.startedAt) < CURRENT_MS
  }
}

function expiryProblem({ hash, triggers, expiresAt }: ExpiringKey): SharedProblem {
  const code = isoTime(expiresAt)
  return { hash, triggers, code, message: `The usage key expires at ${code}.${others(triggers)}` }
}

function creditProblem({ hash, triggers, balanceCents }: LowAccount): SharedProblem {
  const code = formatUsd(balanceCents, 'plain')
  return { hash, triggers, code, message: `The account has ${code} left.${others(triggers)}` }
}

function paymentProblem({ hash, triggers, problem }: UnpaidAccount): SharedProblem {
  const message = `The account has a ${problem} payment.${others(triggers)}`
  return { hash, triggers, code: problem, message }
}

function others({ length }: readonly NamedTrigger[]): string {
  if (length === 1) return ''
  return length === 2 ? ' One other trigger uses it.' : ` ${length - 1} other triggers use it.`
}
