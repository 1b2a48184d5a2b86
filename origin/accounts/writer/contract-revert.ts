import { isError } from 'ethers'
import { accountConfig } from '../chain.ts'

export class ContractRevertError extends Error {
  override readonly name = 'ContractRevertError'
  readonly errorName: string
  /** As text, in the order of the ABI. */
  readonly args: readonly string[]

  constructor(errorName: string, args: readonly string[] = []) {
    super(`the contract rejected the write: ${errorName}`)
    this.errorName = errorName
    this.args = args
  }

  /** The name in snake case, for example `account_already_exists`. */
  get code(): string {
    return this.errorName.replace(/(?<=[a-z])(?=[A-Z])/g, '_').toLowerCase()
  }
}

/** Undefined if the contract did not cause the failure. */
export function decodeRevert(error: unknown): ContractRevertError | undefined {
  // The contract always reverts with data. Without data, the node has failed, for example because it lacks the block.
  if (!isError(error, 'CALL_EXCEPTION') || !error.data) return undefined
  const parsed = accountConfig.parseError(error.data)
  if (!parsed) return new ContractRevertError('unknown')
  return new ContractRevertError(parsed.name, [...parsed.args].map(String))
}
