import { isError } from 'ethers'
import { accountConfig } from '../chain.ts'

/** The contract refused the write by one of its named errors. */
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

  /** The name as a code for programs: `account_already_exists`. */
  get code(): string {
    return this.errorName.replace(/(?<=[a-z])(?=[A-Z])/g, '_').toLowerCase()
  }
}

/** What the contract said in a failed call; `undefined` where it was not the contract that failed it. */
export function refusalIn(error: unknown): ContractRefused | undefined {
  // The contract always says why; without its words it is the node that failed, over a block it does not have.
  if (!isError(error, 'CALL_EXCEPTION') || !error.data) return undefined
  const parsed = accountConfig.parseError(error.data)
  if (!parsed) return new ContractRefused('unknown')
  return new ContractRefused(parsed.name, [...parsed.args].map(String))
}
