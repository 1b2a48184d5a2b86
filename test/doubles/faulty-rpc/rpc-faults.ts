/**
 * Faults of a JSON-RPC provider, as probabilities. A request gets at most one of them. Those with `Broadcast` concern requests
 * that broadcast a transaction, and replace the others.
 */
export type RpcFaults = {
  /** The connection breaks before the request reaches the node. */
  dropRequest: number
  dropBroadcast: number
  /** The node executes the request, and the connection breaks before the response arrives. */
  dropResponse: number
  dropBroadcastResponse: number
  /** Up to `DELAY_MAX_MS`, on the way there or back. */
  delay: number
  /** A later request overtakes this one. The responses of a batch are returned in another order. */
  reorder: number
  /** HTTP 429. */
  rateLimit: number
  /** HTTP 500. */
  serverError: number
  /** The response is cut in the middle of its JSON. */
  truncate: number
  /** No response at all. */
  hang: number
  /** The node stays up to `LAG_MAX_BLOCKS` behind the head, for up to `LAG_MAX_MS`. */
  lag: number
  /** The rest concerns broadcasts. Half of them reach the node nevertheless. */
  falseNonceTooLow: number
  falseAlreadyKnown: number
  falseUnderpriced: number
}

export type RpcFault = keyof RpcFaults

export const NO_FAULTS: RpcFaults = {
  dropRequest: 0,
  dropResponse: 0,
  dropBroadcast: 0,
  dropBroadcastResponse: 0,
  delay: 0,
  reorder: 0,
  rateLimit: 0,
  serverError: 0,
  truncate: 0,
  hang: 0,
  lag: 0,
  falseNonceTooLow: 0,
  falseAlreadyKnown: 0,
  falseUnderpriced: 0,
}

/** About every third request fails or is late, and every second broadcast. */
export const MANY_FAULTS: RpcFaults = {
  dropRequest: 0.04,
  dropBroadcast: 0.08,
  dropResponse: 0.04,
  dropBroadcastResponse: 0.12,
  delay: 0.12,
  reorder: 0.08,
  rateLimit: 0.03,
  serverError: 0.03,
  truncate: 0.03,
  hang: 0.002,
  lag: 0.03,
  falseNonceTooLow: 0.08,
  falseAlreadyKnown: 0.08,
  falseUnderpriced: 0.08,
}

export const DELAY_MAX_MS = 250
export const LAG_MAX_BLOCKS = 20
export const LAG_MAX_MS = 1_500
/** Time for which a request waits to be overtaken. */
export const OVERTAKEN_WITHIN_MS = 300

/** Faults of requests that broadcast a transaction only. */
export const FALSE_ANSWERS = {
  falseNonceTooLow: { code: -32_603, message: 'nonce too low' },
  falseAlreadyKnown: { code: -32_000, message: 'already known' },
  falseUnderpriced: { code: -32_000, message: 'replacement transaction underpriced' },
} satisfies Partial<Record<RpcFault, { code: number; message: string }>>
