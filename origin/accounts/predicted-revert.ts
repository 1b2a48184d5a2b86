/**
 * Thrown before a write is sent, if the mirror shows that the contract would reject the write. Has the name and
 * arguments of the contract's error, so that the response is the same. The contract remains authoritative.
 */
export class PredictedRevertError extends Error {
  override readonly name = 'PredictedRevertError'
  /**
   * Name of an error in `IAccountConfigErrors.sol`, or `NotAllowedToReadGroup`. The contract does not define the
   * latter, because it does not restrict reads.
   */
  readonly errorName: string
  /** Arguments of the error as text, in the order of the ABI. */
  readonly args: readonly string[]

  constructor(errorName: string, args: readonly (string | number)[]) {
    super(`the contract would reject the write: ${errorName}`)
    this.errorName = errorName
    this.args = args.map(String)
  }
}
