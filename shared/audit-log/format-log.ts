import { formatCsv } from '../csv.ts'
import type { AnyAuditEntry } from './entry.ts'

/** Formats an audit log as NDJSON: one entry per line, oldest first, with the head in the last line. */
export function formatAuditFile(entries: readonly AnyAuditEntry[], head: unknown): string {
  return [...entries, { head }].map((line) => `${JSON.stringify(line)}\n`).join('')
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
export function formatAuditCsv(entries: readonly AnyAuditEntry[]): string {
  const records = entries.map(({ actor, subject, details, ...entry }) => ({
    ...entry,
    actor: actor.kind,
    actor_id: actor.id,
    subject: JSON.stringify(subject),
    details: JSON.stringify(details),
  }))
  return formatCsv(COLUMNS, records)
}
