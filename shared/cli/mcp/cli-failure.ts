import { ToolRejectedError } from '../../mcp/tool-failure.ts'
import { NoCredentialError, UsageError } from '../terminal.ts'

/** Converts failures of the command line's configuration into rejections of a tool. */
export async function asToolRejection<Value>(work: () => Value | Promise<Value>): Promise<Value> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof NoCredentialError)
      throw new ToolRejectedError('no_credential', error.message, error.fix)
    if (error instanceof UsageError) throw new ToolRejectedError('not_set_up', error.message, FIX)
    throw error
  }
}

const FIX = 'Tell your user: this is configured where svc mcp is started.'
