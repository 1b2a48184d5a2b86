import { isError } from 'ethers'
import { accountConfig } from '../chain.ts'

/** The contract reverted the write with one of its named errors. */
export class ContractRefused extends Error {
  readonly errorName: string
  /** The error's arguments as text, in the order of the ABI. */
  readonly args: readonly string[]

  constructor(errorName: string, args: readonly string[] = []) {
    super(`the contract refused the write: ${errorName}`)
    this.name = 'ContractRefused'
    this.errorName = errorName
    this.args = args
  }

  /** The error name in snake case, for example `account_already_exists`. */
  get code(): string {
    return this.errorName.replace(/(?<=[a-z])(?=[A-Z])/g, '_').toLowerCase()
  }
}

/** Returns the contract's error from a failed call; `undefined` if the contract did not cause the failure. */
export function refusalIn(error: unknown): ContractRefused | undefined {
  // The contract always reverts with data; without it the node failed, for example because it lacks the block.
  if (!isError(error, 'CALL_EXCEPTION') || !error.data) return undefined
  const parsed = accountConfig.parseError(error.data)
  if (!parsed) return new ContractRefused('unknown')
  return new ContractRefused(parsed.name, [...parsed.args].map(String))
}
