/**
 * A write that the contract would refuse, found in the mirror before anything is sent. It carries the name and arguments
 * of the contract's error, so the caller gets the same answer from both. The contract has the last word.
 */
export class ForeseenRefusal extends Error {
  /** An error of `IAccountConfigErrors.sol`, or `NotAllowedToReadGroup`: the contract has no reads to refuse. */
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
