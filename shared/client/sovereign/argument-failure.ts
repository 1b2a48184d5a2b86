import { SvcError } from '../failures.ts'

/** A value that no state of the account makes right. Nothing was sent. */
export class InvalidArgument extends SvcError {
  override name = 'InvalidArgument'
  /** As `pkp_ids_permitted[3]`. */
  readonly field: string
  constructor(field: string, expected: string) {
    const fix = 'Correct the value; nothing was sent.'
    super(`${field}: ${expected}`, { code: 'invalid_argument', fix })
    this.field = field
  }
}
