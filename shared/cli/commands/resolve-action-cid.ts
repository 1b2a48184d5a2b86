import { isActionCid } from '../../cid/cid-format.ts'
import type { Cli } from '../cli.ts'

export const ACTION_ARGUMENT = 'source file or CID'

/** Accepts a CID or a source file. @throws {UsageError} if the file cannot be read */
export async function resolveActionCid(named: string, cli: Cli): Promise<string> {
  if (isActionCid(named)) return named
  const { actionCid } = await import('../../cid/compute-cid.ts')
  return actionCid(await cli.text(named))
}
