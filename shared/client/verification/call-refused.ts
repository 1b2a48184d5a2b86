import type { Refusal } from '../../wire/sealed.ts'
import { SvcError } from '../failures.ts'

/** The origin itself refused a sealed call, inside the envelope; nothing was executed. */
export class CallRefused extends SvcError {
  override name = 'CallRefused'
  declare readonly status: number
  readonly retryAfterS: number | undefined
  constructor({ status, error, message, fix, retry_after_s }: Refusal) {
    super(message, { status, code: error, fix })
    this.retryAfterS = retry_after_s
  }
}
