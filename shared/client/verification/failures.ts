/**
 * Errors of verification and sealed calls. They are in a small file of their own, because the code that throws most of
 * them is loaded on demand.
 */
import type { RuleName } from '../../attestation/policy.ts'
import type { Report } from '../../attestation/report.ts'
import type { AuditLogFlaw } from '../../audit-log/verify-entries.ts'
import type { JwsFlaw } from '../../crypto/jws.ts'
import type { ReceiptFlaw } from '../../receipts/receipt.ts'
import { SvcError } from '../failures/svc-error.ts'

/** The options lack data that `verify: 'required'` needs. */
export class PolicyIncomplete extends SvcError {
  override name = 'PolicyIncomplete'
  readonly option: string
  constructor(option: string, fix: string) {
    super(`verify: 'required' requires ${option}`, { code: 'policy_incomplete', fix })
    this.option = option
  }
}

/** The origin's evidence failed verification. No secret was sent. */
export class EvidenceRefused extends SvcError {
  override name = 'EvidenceRefused'
  readonly rule: RuleName
  readonly reason: string
  readonly report: Report | undefined
  constructor(rule: RuleName, reason: string, report?: Report, options?: ErrorOptions) {
    super(
      `the evidence failed the rule "${rule}": ${reason}`,
      {
        code: 'evidence_refused',
        fix: 'Do not send anything to this origin; contact its operator.',
      },
      options,
    )
    this.rule = rule
    this.reason = reason
    this.report = report
  }
}

/** The origin's evidence could not be fetched. No secret was sent. */
export class EvidenceUnavailable extends SvcError {
  override name = 'EvidenceUnavailable'
  constructor(message: string, options?: ErrorOptions) {
    const fix = 'Try again, and check that the base URL is the origin’s own.'
    super(message, { code: 'evidence_unavailable', fix }, options)
  }
}

/** The evidence passed verification, but is for a different application than before. No secret was sent. */
export class EvidenceChanged extends SvcError {
  override name = 'EvidenceChanged'
  readonly field: 'app id' | 'compose hash' | 'root'
  constructor(field: EvidenceChanged['field'], seen: string, now: string) {
    super(`the evidence has a different ${field} than before: ${now} instead of ${seen}`, {
      code: 'evidence_changed',
      fix: 'Check what has changed. If you accept it, create a new client.',
    })
    this.field = field
  }
}

/** The last verification of the origin has expired. Nothing was sent. */
export class TrustExpired extends SvcError {
  override name = 'TrustExpired'
  constructor() {
    super('the origin was verified more than an hour ago', {
      code: 'trust_expired',
      fix: 'Verify it again.',
    })
  }
}

const CHECK_FIRST_FIX = 'The action may have run: check its effects before you call it again.'

/**
 * The response is not sealed. Either an intermediary answered instead of the origin, or the origin could not decrypt
 * the call.
 */
export class AnswerUnsealed extends SvcError {
  override name = 'AnswerUnsealed'
  constructor(status: number) {
    const message = `the response is not sealed (status ${status}): it is unknown whether the call was executed`
    super(message, { status, code: 'answer_unsealed', fix: CHECK_FIRST_FIX })
  }
}

/** The response could not be decrypted with the key of the call, so it is not the origin's response to this call. */
export class AnswerNotAuthentic extends SvcError {
  override name = 'AnswerNotAuthentic'
  constructor(options?: ErrorOptions) {
    const message = 'the response cannot be decrypted with the key of this call'
    super(message, { code: 'answer_not_authentic', fix: CHECK_FIRST_FIX }, options)
  }
}

/** The origin sealed the response, but its content is not a valid response to a call. */
export class AnswerUnreadable extends SvcError {
  override name = 'AnswerUnreadable'
  constructor(reason: string) {
    const message = `the sealed response cannot be read: ${reason}`
    super(message, { code: 'answer_unreadable', fix: CHECK_FIRST_FIX })
  }
}

/**
 * An unsealed response claims that the origin does not have the channel key, although the evidence still contains that
 * key. The call is not sealed again. Otherwise, an intermediary could forward the first call, then make this claim, and
 * thereby have the action executed twice.
 */
export class ChannelKeyUnknown extends SvcError {
  override name = 'ChannelKeyUnknown'
  constructor() {
    super(
      'the origin does not know the channel key of the call, although its evidence names that key',
      { status: 421, code: 'unknown_channel_key', fix: CHECK_FIRST_FIX },
    )
  }
}

/** The receipt is malformed, or was not signed with the origin's key. */
export class ReceiptRefused extends SvcError {
  override name = 'ReceiptRefused'
  readonly flaw: ReceiptFlaw
  constructor(flaw: ReceiptFlaw, reason: string, options?: ErrorOptions) {
    const fix = 'Do not rely on its content.'
    super(`the receipt is invalid: ${reason}`, { code: 'receipt_refused', fix }, options)
    this.flaw = flaw
  }
}

/** The receipt has a valid signature, but does not match the call or its response. */
export class ReceiptMismatch extends SvcError {
  override name = 'ReceiptMismatch'
  readonly field: string
  constructor(field: string) {
    super(`the receipt does not match the call: ${field}`, {
      code: 'receipt_mismatch',
      fix: 'Do not rely on the response. The action has run.',
    })
    this.field = field
  }
}

/** The statement about an action's public key is not signed by the verified origin, or is for another action. */
export class StatementRefused extends SvcError {
  override name = 'StatementRefused'
  readonly flaw: JwsFlaw | 'action_cid' | 'compose_hash'
  constructor(flaw: StatementRefused['flaw'], reason: string, options?: ErrorOptions) {
    super(
      `the statement about the action’s key is invalid: ${reason}`,
      { code: 'statement_refused', fix: 'Do not use the key or the address in the same response.' },
      options,
    )
    this.flaw = flaw
  }
}

/** The audit log was changed or truncated, or its head is not signed by the verified origin. */
export class AuditLogRefused extends SvcError {
  override name = 'AuditLogRefused'
  readonly flaw: AuditLogFlaw | JwsFlaw
  /** Sequence of the entry. Undefined if the head is invalid. */
  readonly sequence: number | undefined
  constructor(
    flaw: AuditLogRefused['flaw'],
    reason: string,
    sequence?: number,
    options?: ErrorOptions,
  ) {
    super(
      `the audit log is invalid: ${reason}`,
      { code: 'audit_log_refused', fix: 'Keep the entries and the heads, and report this.' },
      options,
    )
    this.flaw = flaw
    this.sequence = sequence
  }
}
