import { NotSent } from '../failures/transport-errors.ts'

/** An argument is invalid, regardless of the account's state. */
export class InvalidArgument extends NotSent {
  override name = 'InvalidArgument'
  /** Path of the invalid value, such as `pkp_ids_permitted[3]`. */
  readonly field: string
  constructor(field: string, expected: string) {
    super('invalid_argument', `${field}: ${expected}`, 'Correct the value; nothing was sent.')
    this.field = field
  }
}
