import { NotSent } from '../failures/on-the-way.ts'

/** A value that no state of the account makes right. */
export class InvalidArgument extends NotSent {
  override name = 'InvalidArgument'
  /** As `pkp_ids_permitted[3]`. */
  readonly field: string
  constructor(field: string, expected: string) {
    super('invalid_argument', `${field}: ${expected}`, 'Correct the value; nothing was sent.')
    this.field = field
  }
}
