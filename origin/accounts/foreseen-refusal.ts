/**
 * A write that the contract would reject, detected in the mirror before anything is sent. It carries the name and
 * arguments of the contract's error, so the response is the same in both cases. The contract remains authoritative.
 */
export class ForeseenRefusal extends Error {
  /**
   * An error of `IAccountConfigErrors.sol`, or `NotAllowedToReadGroup`, which the contract lacks because it does not
   * restrict reads.
   */
  readonly errorName: string
  /** The error's arguments as text, in the order of the ABI. */
  readonly args: readonly string[]

  constructor(errorName: string, args: readonly (string | number)[]) {
    super(`the contract would refuse it: ${errorName}`)
    this.name = 'ForeseenRefusal'
    this.errorName = errorName
    this.args = args.map(String)
  }
}
