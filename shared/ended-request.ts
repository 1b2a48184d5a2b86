/**
 * Final states of an agent's access request that was not approved. The 401 for the agent's token contains the state in
 * its `error` field. An agent that polls for approval can stop on any of these states.
 */
export const ENDED_REQUEST = ['request_refused', 'request_locked', 'request_expired'] as const
export type EndedRequest = (typeof ENDED_REQUEST)[number]
