/** Why a sealed call has no answer that can be believed. What fails on the way may have been executed all the same. */
import type { Refusal } from '../wire/sealed.ts'

/** The origin was verified too long ago; nothing was sent. */
export class TrustExpired extends Error {
  constructor() {
    super('the origin was verified more than an hour ago: verify it again')
    this.name = 'TrustExpired'
  }
}

/** The origin itself refused the call, inside the envelope; nothing was executed. */
export class CallRefused extends Error {
  readonly status: number
  /** The name of the class, as in the core API. */
  readonly error: string
  readonly fix: string
  readonly retryAfterS: number | undefined
  constructor({ status, error, message, fix, retry_after_s }: Refusal) {
    super(message)
    this.name = 'CallRefused'
    this.status = status
    this.error = error
    this.fix = fix
    this.retryAfterS = retry_after_s
  }
}

/** Somebody on the way answered in the origin's place, or the origin could not open the call. */
export class AnswerUnsealed extends Error {
  readonly status: number
  constructor(status: number) {
    super(`the answer is not sealed (status ${status}): whether the call was executed is not known`)
    this.name = 'AnswerUnsealed'
    this.status = status
  }
}

/**
 * Said in the clear that the origin has not the key, which its evidence names still. The call is not sealed again: who
 * passed it on and then said so would have it executed twice.
 */
export class ChannelKeyUnknown extends Error {
  constructor() {
    super('the call was answered as sealed to an unknown key, and the evidence names that very key')
    this.name = 'ChannelKeyUnknown'
  }
}

/** The answer is the origin's, and no answer to a call. */
export class AnswerUnreadable extends Error {
  constructor(reason: string) {
    super(`the sealed answer can not be read: ${reason}`)
    this.name = 'AnswerUnreadable'
  }
}

/** The receipt is signed, and says something else than what was called and answered. */
export class ReceiptMismatch extends Error {
  readonly field: string
  constructor(field: string) {
    super(`the receipt does not fit the call: ${field}`)
    this.name = 'ReceiptMismatch'
    this.field = field
  }
}
