import type { AuditEntry } from '../../../../shared/client/core/audit-log.ts'

/** Fields that are empty match every entry. */
export type EntryFilter = { operation: string; outcome: string; actor: string }

export const NO_FILTER: EntryFilter = { operation: '', outcome: '', actor: '' }

export const actorName = ({ kind, id }: AuditEntry['actor']): string =>
  id === null ? kind : `${kind} ${id}`

export const filterEntries = (
  entries: readonly AuditEntry[],
  { operation, outcome, actor }: EntryFilter,
): AuditEntry[] =>
  entries.filter(
    (entry) =>
      (operation === '' || entry.operation === operation) &&
      (outcome === '' || entry.outcome === outcome) &&
      (actor === '' || actorName(entry.actor) === actor),
  )

/** Returns the values that occur in the entries, sorted. */
export function filterChoices(entries: readonly AuditEntry[]) {
  const sorted = (values: string[]) => [...new Set(values)].toSorted()
  return {
    operations: sorted(entries.map(({ operation }) => operation)),
    outcomes: sorted(entries.map(({ outcome }) => outcome)),
    actors: sorted(entries.map(({ actor }) => actorName(actor))),
  }
}

/**
 * Appends an older page. Entries that were logged in the meantime move others to the next page, so those that are
 * already present are left out.
 */
export function appendOlder(newer: readonly AuditEntry[], page: readonly AuditEntry[]) {
  const oldest = newer.at(-1)?.sequence ?? Number.POSITIVE_INFINITY
  return [...newer, ...page.filter(({ sequence }) => sequence < oldest)]
}
