import { formatCsv } from '../csv.ts'
import type { AuditEntry } from './entry.ts'

/** Formats an audit log as NDJSON: one entry a line, oldest first, and the signed head in the last line. */
export function formatAuditFile(entries: readonly AuditEntry[], statement: string): string {
  return [...entries, { head: statement }].map((line) => `${JSON.stringify(line)}\n`).join('')
}

const COLUMNS = [
  'sequence',
  'at',
  'operation',
  'outcome',
  'actor',
  'actor_id',
  'client_address',
  'request_id',
  'subject',
  'details',
  'sha256',
]

/** Formats entries as CSV for spreadsheets. The table does not contain all that a verification needs. */
export function formatAuditCsv(entries: readonly AuditEntry[]): string {
  const records = entries.map(({ actor, subject, details, ...entry }) => ({
    ...entry,
    actor: actor.kind,
    actor_id: actor.id,
    subject: JSON.stringify(subject),
    details: JSON.stringify(details),
  }))
  return formatCsv(COLUMNS, records)
}
