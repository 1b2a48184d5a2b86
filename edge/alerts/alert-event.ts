import type { IncidentRecord } from '../../shared/wire/alert.ts'
import { incidentPath } from './incident-path.ts'

/** Incidents that one event lists. The others are only counted. */
const LISTED_MAX = 100

/**
 * Renders the event that webhooks and triggers receive. It contains no text of the runs, because senders of events can
 * influence it. Each attempt of a delivery renders the same event, except for names and states that changed.
 *
 * @param at time at which the delivery was created
 */
export function alertEvent(
  incidents: readonly IncidentRecord[],
  { publicUrl, test, at }: { publicUrl: string; test: boolean; at: number },
) {
  return {
    type: test ? 'alert.test' : 'incidents.opened',
    timestamp: new Date(at).toISOString(),
    data: {
      incidents: incidents.slice(0, LISTED_MAX).map((incident) => {
        const { id, trigger_id, trigger_name, subject, signal, state, opened_at, code } = incident
        const { first_run_id } = incident
        const url = new URL(incidentPath(incident), publicUrl).href
        const about = { trigger_id, trigger_name, subject }
        return { id, ...about, signal, state, opened_at, code, first_run_id, url }
      }),
      total: incidents.length,
    },
  }
}
