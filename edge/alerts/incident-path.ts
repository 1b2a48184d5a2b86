import type { IncidentRecord } from '../../shared/wire/alert.ts'

/** Returns the path of the console page to which an alert about an incident links. */
export function incidentPath({
  trigger_id,
  first_run_id,
}: Pick<IncidentRecord, 'trigger_id' | 'first_run_id'>): string {
  if (first_run_id !== null) return `/runs/${first_run_id}`
  return trigger_id === null ? '/alerts' : `/triggers/${trigger_id}`
}
