/**
 * Final states of an unapproved access request, in `error` of the 401 for the agent's token: the agent can stop
 * polling.
 */
export const ENDED_REQUEST_CODES = ['request_refused', 'request_locked', 'request_expired'] as const
export type EndedRequestCode = (typeof ENDED_REQUEST_CODES)[number]
