/** A command cannot be performed. Nothing was changed or recorded. */
export class OperatorRefusedError extends Error {
  /** `unknown`: no such user or trigger. `state`: not in its current state. `request`: the request is faulty. */
  readonly because: 'unknown' | 'state' | 'request'
  readonly fix: string
  constructor(because: OperatorRefusedError['because'], message: string, fix: string) {
    super(message)
    this.name = 'OperatorRefusedError'
    this.because = because
    this.fix = fix
  }
}
