/**
 * What the contract would refuse, seen in the mirror before anything is sent: it bears the contract's name and
 * arguments, so that the caller is told the same whoever of the two says no. The contract decides in the end.
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
