/**
 * Error codes of agent requests that can no longer be approved. The agent's token gets them in `error` of a 401, after
 * which the agent can stop polling.
 */
export const ENDED_REQUEST_CODES = ['request_refused', 'request_locked', 'request_expired'] as const
export type EndedRequestCode = (typeof ENDED_REQUEST_CODES)[number]
