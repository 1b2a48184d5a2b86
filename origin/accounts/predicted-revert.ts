/**
 * The mirror shows that the contract would reject a write, before anything is sent. Has the name and arguments of the
 * contract's error, so that the response is the same. The contract remains authoritative.
 */
export class PredictedRevertError extends Error {
  override readonly name = 'PredictedRevertError'
  /**
   * From `IAccountConfigErrors.sol`, or `NotAllowedToReadGroup`, which the contract lacks because it does not restrict
   * reads.
   */
  readonly errorName: string
  /** As text, in the order of the ABI. */
  readonly args: readonly string[]

  constructor(errorName: string, args: readonly (string | number)[]) {
    super(`the contract would reject the write: ${errorName}`)
    this.errorName = errorName
    this.args = args.map(String)
  }
}
