import { reasonOf } from '../../errors.ts'
import type { Refusal } from '../../wire/sealed.ts'
import { SvcError } from '../failures.ts'

/** The origin rejected a sealed call inside the envelope. Nothing was executed. */
export class CallRefused extends SvcError {
  override name = 'CallRefused'
  declare readonly status: number
  readonly retryAfterS: number | undefined
  constructor(refusal: Refusal) {
    const { status, message, fix, retry_after_s } = refusal
    super(message, { status, code: reasonOf(refusal), fix })
    this.retryAfterS = retry_after_s
  }
}
