/** An expression is invalid, or could not be evaluated on an event. */
export class ExpressionError extends Error {
  override name = 'ExpressionError'
  /** Position of the error in the expression, counted in characters from 1. Absent if the error has no position. */
  readonly position: number | undefined

  constructor(problem: string, position?: number) {
    super(position === undefined ? problem : `${problem} (at character ${position})`)
    this.position = position
  }
}
