/**
 * Thrown if the mirror shows that the contract would reject a write, before anything is sent. The error has the name
 * and arguments of the contract's error, so that the response is the same as if the contract had rejected the write.
 * The contract remains authoritative.
 */
export class ForeseenRefusal extends Error {
  /**
   * Name of an error in `IAccountConfigErrors.sol`, or `NotAllowedToReadGroup`. The contract does not have the latter,
   * because it does not restrict reads.
   */
  readonly errorName: string
  /** Arguments of the error as text, in the order of the ABI. */
  readonly args: readonly string[]

  constructor(errorName: string, args: readonly (string | number)[]) {
    super(`the contract would reject the write: ${errorName}`)
    this.name = 'ForeseenRefusal'
    this.errorName = errorName
    this.args = args.map(String)
  }
}
