/** Resolves an action argument, which is a CID or a source file. */
import { isActionCid } from '../../action-cid.ts'
import type { Cli } from '../cli.ts'

export const ACTION = 'source file or CID'

/**
 * Returns the CID of an action that is given by its CID or source file.
 * @throws {UsageError} if the file cannot be read
 */
export async function cidNamed(named: string, cli: Cli): Promise<string> {
  if (isActionCid(named)) return named
  const { actionCid } = await import('../../cid.ts')
  return actionCid(await cli.text(named))
}
