import { isError } from 'ethers'
import { accountConfig } from '../chain.ts'

export class ContractRevertError extends Error {
  override readonly name = 'ContractRevertError'
  readonly errorName: string
  readonly args: readonly string[]

  constructor(errorName: string, args: readonly string[] = []) {
    super(`the contract rejected the write: ${errorName}`)
    this.errorName = errorName
    this.args = args
  }

  /** Name of the error in snake case, for example `account_already_exists`. */
  get code(): string {
    return this.errorName.replace(/(?<=[a-z])(?=[A-Z])/g, '_').toLowerCase()
  }
}

/** Returns undefined if the contract did not cause the failure. */
export function decodeRevert(error: unknown): ContractRevertError | undefined {
  // The contract always reverts with data. If the error has no data, the node has failed, for example because it does
  // not have the block.
  if (!isError(error, 'CALL_EXCEPTION') || !error.data) return undefined
  const parsed = accountConfig.parseError(error.data)
  if (!parsed) return new ContractRevertError('unknown')
  return new ContractRevertError(parsed.name, [...parsed.args].map(String))
}
