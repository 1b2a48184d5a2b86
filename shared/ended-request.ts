/**
 * Final states of an unapproved access request, in `error` of the 401 for the agent's token: the agent can stop
 * polling.
 */
export const ENDED_REQUEST = ['request_refused', 'request_locked', 'request_expired'] as const
export type EndedRequest = (typeof ENDED_REQUEST)[number]
