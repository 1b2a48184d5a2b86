import { errorReason } from '../../errors/api-error.ts'
import type { SealedRefusal } from '../../wire/sealed.ts'
import { SvcError } from '../failures/svc-error.ts'

/** The origin rejected a sealed call inside the envelope. Nothing was executed. */
export class CallRefused extends SvcError {
  override name = 'CallRefused'
  declare readonly status: number
  readonly retryAfterS: number | undefined
  constructor(refusal: SealedRefusal) {
    const { status, message, fix, retry_after_s } = refusal
    super(message, { status, code: errorReason(refusal), fix })
    this.retryAfterS = retry_after_s
  }
}
