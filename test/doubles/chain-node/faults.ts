/** How nodes and their providers fail. Each is a probability, of a request or of a question in it; absent is 0. */
export type Faults = Partial<
  Record<RequestFault | LogFault | 'wrongChain' | 'failedQuestion', number>
>

/** Of a whole request. */
export const REQUEST_FAULTS = [
  /** 429, as a page. */
  'rateLimited',
  /** 429 with Retry-After: 1. */
  'rateLimitedWithRetryAfter',
  /** 200, and in it a JSON-RPC error that speaks of a rate. */
  'rateLimitedInside200',
  /** 200, and in it one JSON-RPC error for all that was asked. */
  'errorInside200',
  /** 500 with a JSON-RPC error. */
  'serverError',
  /** 502 with a page of HTML. */
  'badGateway',
  /** 200, and a text that is no JSON. */
  'garbage',
  /** The answer ends in its middle. */
  'cut',
  /** The connection is closed before an answer. */
  'refused',
  /** The time that the client would have waited is over at once: `hang` without the waiting. In process alone. */
  'timeout',
  /** No answer, until the client gives up. */
  'hang',
] as const
export type RequestFault = (typeof REQUEST_FAULTS)[number]

/** Of the logs of one answer. */
export const LOG_FAULTS = [
  /** A block's logs are left out of a range's; never of a block that was asked for by its hash. */
  'missingBlocks',
  /** Logs that were not asked for are among them. */
  'unmatchedLogs',
  /** A log of a block that the chain has left is among them. */
  'orphanedLogs',
  'duplicatedLogs',
  'disorderedLogs',
] as const
export type LogFault = (typeof LOG_FAULTS)[number]

/** What a provider's plan allows. */
export type PlanLimits = {
  /** Blocks of one `eth_getLogs`. */
  blocks?: number
  /** Logs of one answer. */
  logs?: number
  /** Logs of one answer for a block that is asked for by its hash. */
  logsOfBlock?: number
  /** Addresses of one `eth_getLogs`. */
  addresses?: number
  /** Questions of one batch; 1: batches are refused. */
  batch?: number
  /** In whose words it refuses; `none` says no number. */
  words?: 'alchemy' | 'infura' | 'quicknode' | 'none'
}
