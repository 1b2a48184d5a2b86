/**
 * How a request that an agent registered ended without an approval, as the 401 of its token says it (`error`): who waits for an
 * approval need not wait any longer.
 */
export const ENDED_REQUEST = ['request_refused', 'request_locked', 'request_expired'] as const
export type EndedRequest = (typeof ENDED_REQUEST)[number]
