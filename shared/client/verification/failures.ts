/** Errors of verification. This module is small: the code that raises most of them is loaded on demand. */
import type { RuleName } from '../../attestation/policy.ts'
import type { Report } from '../../attestation/report.ts'
import type { JwsFlaw } from '../../jws.ts'
import type { ReceiptFlaw } from '../../receipt.ts'
import { SvcError } from '../failures.ts'

/** The options lack what `verify: 'required'` needs. The client was not created. */
export class PolicyIncomplete extends SvcError {
  override name = 'PolicyIncomplete'
  readonly option: string
  constructor(option: string, fix: string) {
    super(`verify: 'required' needs ${option}`, { code: 'policy_incomplete', fix })
    this.option = option
  }
}

/** The evidence did not pass. Nothing secret was sent. */
export class EvidenceRefused extends SvcError {
  override name = 'EvidenceRefused'
  readonly rule: RuleName
  readonly reason: string
  readonly report: Report | undefined
  constructor(rule: RuleName, reason: string, report?: Report, options?: ErrorOptions) {
    super(
      `the evidence was refused by the rule "${rule}": ${reason}`,
      { code: 'evidence_refused', fix: 'Send this origin nothing; ask who runs it why.' },
      options,
    )
    this.rule = rule
    this.reason = reason
    this.report = report
  }
}

/** The origin's evidence could not be fetched. Nothing secret was sent. */
export class EvidenceUnavailable extends SvcError {
  override name = 'EvidenceUnavailable'
  constructor(message: string, options?: ErrorOptions) {
    const fix = 'Try again; a base URL has to be the origin’s own.'
    super(message, { code: 'evidence_unavailable', fix }, options)
  }
}

/** The evidence passed, but is for a different application than before. Nothing secret was sent. */
export class EvidenceChanged extends SvcError {
  override name = 'EvidenceChanged'
  readonly field: 'app id' | 'compose hash' | 'root'
  constructor(field: EvidenceChanged['field'], seen: string, now: string) {
    super(`the evidence names another ${field} than before: ${now}, and it was ${seen}`, {
      code: 'evidence_changed',
      fix: 'Look what was changed; where you accept it, make a new client.',
    })
    this.field = field
  }
}

/** The verification of the origin has expired. Nothing was sent. */
export class TrustExpired extends SvcError {
  override name = 'TrustExpired'
  constructor() {
    super('the origin was verified more than an hour ago', {
      code: 'trust_expired',
      fix: 'Verify it again.',
    })
  }
}

/** Advice for calls that may have been executed. */
const LOOK_FIRST = 'The action may have run: look at what it does before you call it again.'

/** An intermediary answered instead of the origin, or the origin could not open the call. */
export class AnswerUnsealed extends SvcError {
  override name = 'AnswerUnsealed'
  constructor(status: number) {
    const message = `the answer is not sealed (status ${status}): whether the call was executed is not known`
    super(message, { status, code: 'answer_unsealed', fix: LOOK_FIRST })
  }
}

/** The response could not be decrypted with the key of the call: it is not the origin's response to this call. */
export class AnswerNotAuthentic extends SvcError {
  override name = 'AnswerNotAuthentic'
  constructor(options?: ErrorOptions) {
    const message = 'the answer does not open under the key of this call'
    super(message, { code: 'answer_not_authentic', fix: LOOK_FIRST }, options)
  }
}

/** The response is from the origin, but is not a valid response to a call. */
export class AnswerUnreadable extends SvcError {
  override name = 'AnswerUnreadable'
  constructor(reason: string) {
    const message = `the sealed answer can not be read: ${reason}`
    super(message, { code: 'answer_unreadable', fix: LOOK_FIRST })
  }
}

/**
 * An unsealed response claims that the origin does not have the key, although the evidence still names it. The call is
 * not sealed again: an intermediary could forward it and then make this claim, to have it executed twice.
 */
export class ChannelKeyUnknown extends SvcError {
  override name = 'ChannelKeyUnknown'
  constructor() {
    super(
      'the call was answered as sealed to an unknown key, and the evidence names that very key',
      { status: 421, code: 'unknown_channel_key', fix: LOOK_FIRST },
    )
  }
}

/** The receipt is malformed, or not signed by the origin's key. */
export class ReceiptRefused extends SvcError {
  override name = 'ReceiptRefused'
  readonly flaw: ReceiptFlaw
  constructor(flaw: ReceiptFlaw, reason: string, options?: ErrorOptions) {
    const fix = 'Do not rely on what it says.'
    super(`the receipt is refused: ${reason}`, { code: 'receipt_refused', fix }, options)
    this.flaw = flaw
  }
}

/** The receipt is signed, but does not match the call or its response. */
export class ReceiptMismatch extends SvcError {
  override name = 'ReceiptMismatch'
  readonly field: string
  constructor(field: string) {
    super(`the receipt does not fit the call: ${field}`, {
      code: 'receipt_mismatch',
      fix: 'Do not rely on the answer. The action has run.',
    })
    this.field = field
  }
}

/** The statement about an action's key is not signed by the verified origin, or is for another action. */
export class StatementRefused extends SvcError {
  override name = 'StatementRefused'
  readonly flaw: JwsFlaw | 'action_cid' | 'compose_hash'
  constructor(flaw: StatementRefused['flaw'], reason: string, options?: ErrorOptions) {
    super(
      `the statement on the action’s key is refused: ${reason}`,
      { code: 'statement_refused', fix: 'Do not use the key or the address that came with it.' },
      options,
    )
    this.flaw = flaw
  }
}
