import type {
  TriggerLogPage,
  TriggerLogQuery,
} from '../../../shared/client/triggers/trigger-log.ts'

/** Fetches a page of entries with the session of the page. */
export async function fetchEntries(query: TriggerLogQuery): Promise<TriggerLogPage> {
  const params = new URLSearchParams(
    Object.entries(query).map(([name, value]) => [name, `${value}`]),
  )
  const response = await fetch(`/audit-log/entries?${params}`).catch(() => undefined)
  if (response === undefined) throw new Error('the service did not respond. Try again.')
  if (response.status === 401)
    throw new Error('you are not signed in. Reload the page and sign in.')
  if (!response.ok) throw new Error(`the service responded with ${response.status}. Try again.`)
  return response.json()
}
