/**
 * Final states of an agent's request that was not approved, as reported in the `error` of its token's 401. An agent
 * that polls for approval can stop on any of them.
 */
export const ENDED_REQUEST = ['request_refused', 'request_locked', 'request_expired'] as const
export type EndedRequest = (typeof ENDED_REQUEST)[number]
