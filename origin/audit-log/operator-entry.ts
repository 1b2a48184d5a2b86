import type { NewEntry } from './append-entry.ts'
import { internalContext } from './context.ts'

/** Does not contain the name of the operator and the reason, which are internal. */
export function operatorEntry({
  id,
  accountHash,
  command,
  cents,
}: {
  id: string
  accountHash: string
  command: string
  cents?: number
}): NewEntry {
  const operation = `operator/${command.replaceAll('-', '_')}`
  return {
    context: internalContext(accountHash, operation, 'operator'),
    sourceId: `operator/${id}`,
    outcome: 'done',
    subject: {},
    details: { action_id: id, ...(cents !== undefined && { cents }) },
  }
}
