import type { TransactionReceipt } from 'ethers'
import { accountConfig } from '../accounts/chain.ts'
import type { NewEntry } from './append-entry.ts'
import { accountOfEvent, changeOf } from './contract-events.ts'
import type { AuditContext } from './context.ts'

type AuditedWrite = { writeId: string; functionName: string; audit: AuditContext }

/**
 * Makes the entry of a contract write from its receipt. A reorganization can change the outcome of a write. The log then
 * has an entry for each outcome, and the last one holds.
 */
export function writeEntry(
  { writeId, functionName, audit }: AuditedWrite,
  { hash, status, logs }: Pick<TransactionReceipt, 'hash' | 'status' | 'logs'>,
): NewEntry {
  const outcome = status === 1 ? 'done' : 'reverted'
  const common = { context: audit, sourceId: `write/${writeId}/${outcome}`, outcome } as const
  const transaction = { transaction_hash: hash }
  if (outcome === 'reverted')
    return { ...common, subject: {}, details: { ...transaction, function: functionName } }
  const parsed = logs.flatMap((log) => {
    const event = accountConfig.parseLog(log)
    return event ? [{ name: event.name, args: event.args.toObject(false) }] : []
  })
  const own = parsed.filter((event) => accountOfEvent(event) === audit.accountHash)
  const { subject, events } = changeOf(own)
  return { ...common, subject, details: { ...transaction, events } }
}
