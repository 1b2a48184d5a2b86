/** Failures of nodes and providers, as probabilities per request or per call in it. The default is 0. */
export type Faults = Partial<
  Record<RequestFault | LogFault | 'wrongChain' | 'failedQuestion', number>
>

/** Faults of a whole request. */
export const REQUEST_FAULTS = [
  /** 429 with a plain text page. */
  'rateLimited',
  /** 429 with `Retry-After: 1`. */
  'rateLimitedWithRetryAfter',
  /** 200 with a JSON-RPC error about a rate limit. */
  'rateLimitedInside200',
  /** 200 with one JSON-RPC error for all calls. */
  'errorInside200',
  'serverError',
  /** 502 with an HTML page. */
  'badGateway',
  /** 200 with a body that is not JSON. */
  'garbage',
  /** The response is truncated. */
  'cut',
  /** The connection is closed without a response. */
  'refused',
  /** Times out at once, unlike `hang`. Only in process. */
  'timeout',
  /** No response until the client gives up. */
  'hang',
] as const
export type RequestFault = (typeof REQUEST_FAULTS)[number]

/** Faults of the logs in one response. */
export const LOG_FAULTS = [
  /** A block's logs are missing from a range query; never from a query by block hash. */
  'missingBlocks',
  /** Includes logs that do not match the query. */
  'unmatchedLogs',
  /** Includes a log of an orphaned block. */
  'orphanedLogs',
  'duplicatedLogs',
  'disorderedLogs',
] as const
export type LogFault = (typeof LOG_FAULTS)[number]

/** Limits of a provider's plan. */
export type PlanLimits = {
  /** Maximum number of blocks per `eth_getLogs`. */
  blocks?: number
  /** Maximum number of logs per response. */
  logs?: number
  /** Maximum number of logs per response to a query by block hash. */
  logsOfBlock?: number
  /** Maximum number of addresses per `eth_getLogs`. */
  addresses?: number
  /** Maximum number of calls per batch; 1 disables batches. */
  batch?: number
  /** Provider whose error messages are used; `none` gives no numbers. */
  words?: 'alchemy' | 'infura' | 'quicknode' | 'none'
}
