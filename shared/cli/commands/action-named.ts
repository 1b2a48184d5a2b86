import { isActionCid } from '../../action-cid.ts'
import type { Cli } from '../cli.ts'

export const ACTION = 'source file or CID'

/** Accepts a CID or a source file. @throws {UsageError} if the file cannot be read */
export async function cidNamed(named: string, cli: Cli): Promise<string> {
  if (isActionCid(named)) return named
  const { actionCid } = await import('../../cid.ts')
  return actionCid(await cli.text(named))
}
