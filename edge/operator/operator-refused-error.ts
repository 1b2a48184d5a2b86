/** A command cannot be performed. Nothing was changed or recorded. */
export class OperatorRefusedError extends Error {
  /** `unknown`: no such user or trigger. `state`: not allowed in its current state. `request`: invalid request. */
  readonly because: 'unknown' | 'state' | 'request'
  readonly fix: string
  constructor(because: OperatorRefusedError['because'], message: string, fix: string) {
    super(message)
    this.name = 'OperatorRefusedError'
    this.because = because
    this.fix = fix
  }
}
