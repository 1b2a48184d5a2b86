import { CID } from '../app.ts'
import type { Outcome } from '../../../shared/wire/outcome.ts'

/** The response of the origin for an action that threw. */
export const failure = (over: Partial<Extract<Outcome, { status: 'failed' }>> = {}) => ({
  outcome: {
    status: 'failed' as const,
    action_cid: CID,
    duration_ms: 3,
    logs: [],
    charged_cents: 0,
    code: 'action_threw',
    message: 'Error: no such bird',
    stack: 'Error: no such bird\n    at main (action.js:3:9)',
    ...over,
  },
})
