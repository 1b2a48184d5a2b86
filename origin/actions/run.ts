import type { LogLine } from '../../shared/wire/log-line.ts'

export type RunRequest = {
  /** Hash of the account that owns the run. Accounts share executors and queue capacity fairly. */
  account: string
  /** Source of the action, evaluated as a script that defines `main(params)`. */
  code: string
  /** Params of the action, as the JSON text of an object. */
  params: string
  /**
   * Number of bytes that the request occupies in memory while the run is queued.
   * @default size of the source and params
   */
  heldBytes?: number
  /** Wall time limit. The time starts when an executor takes the run; the time spent in the queue does not count. */
  wallMs: number
  /** CPU time limit in milliseconds, measured on the executor's thread. */
  cpuMs: number
}

/** The process that holds the keys checks whether the operation is permitted. */
export type KeyOperation =
  | { name: 'getPrivateKey'; pkpId: string }
  | { name: 'encrypt'; pkpId: string; message: string }
  | { name: 'decrypt'; pkpId: string; ciphertext: string }
  | SigningOperation
  | TransactionOperation
  | { name: 'getSvcActionPrivateKey' }
  /** Needs no key, but only the process that holds the keys knows the trace of the run. */
  | { name: 'getTraceparent' }
  | { name: 'getSvcActionPublicKey'; ipfsId: string }
  | { name: 'getSvcActionWalletAddress'; ipfsId: string }

/** Operations that return a signature of a wallet, and never its key. All values are untrusted texts of the guest. */
export type SigningOperation =
  /** `message` is 0x hex of the bytes. */
  | { name: 'signMessage'; pkpId: string; message: string }
  /** `typedData` is the JSON text `{domain, types, value}`. */
  | { name: 'signTypedData'; pkpId: string; typedData: string }
  /** `transaction` is the JSON text of an unsigned transaction. */
  | { name: 'signTransaction'; pkpId: string; transaction: string }
  /** `digest` is 0x hex of 32 bytes. */
  | { name: 'signDigest'; pkpId: string; digest: string }

/** Operations on transactions that the service sends. Both return the transaction as JSON text. */
export type TransactionOperation =
  /** `request` is the JSON text of the action's input. */
  | { name: 'sendTransaction'; request: string }
  | {
      name: 'transaction'
      id: string
      waitFor?: 'mined' | 'final' | undefined
      timeoutMs?: number | undefined
    }

/**
 * Access to the keys of one run, usable while the run is active. Rejects with an Error that has a message for the
 * action's author.
 */
export type Capability = { keyOperation(operation: KeyOperation): Promise<string> }

/** Failure codes for which the action itself is responsible (`docs/actions.md`). */
export const FAILURE_CODES = [
  'action_threw',
  'action_timeout',
  'action_pending',
  'out_of_memory',
  'key_operation_limit',
  'outbound_limit',
  'outbound_response_too_large',
  'no_main',
  'invalid_params',
  'result_not_json',
  'result_too_large',
  'engine_fault',
  'stopped',
] as const

export type FailureCode = (typeof FAILURE_CODES)[number]

/** An outbound request of an action, for its trace, in whole milliseconds. */
export type MeasuredRequest = {
  /** Start, in milliseconds since the start of the run. */
  at_ms: number
  ms: number
  /** Absent if there was no response. */
  status?: number | undefined
}

export type ReturnedResult = {
  kind: 'returned'
  /** Returned value as JSON text. If `main` returned undefined, the text is 'null'. */
  value: string
  logs: LogLine[]
  durationMs: number
  cpuMs?: number
  requests?: MeasuredRequest[] | undefined
}

export type FailedResult = {
  kind: 'failed'
  code: FailureCode
  message: string
  /**
   * The error's name and message, then the action's own frames (`action.js:line:column`). Empty if there is no stack.
   */
  stack: string
  logs: LogLine[]
  durationMs: number
  cpuMs?: number
  requests?: MeasuredRequest[] | undefined
}

/**
 * The run was refused, dropped from the queue, or lost because its executor exited. `started` is true if the action's
 * code may have been executed.
 */
export type LostResult = {
  kind: 'lost'
  reason: string
  started: boolean
  /** True if the queue is full, for the run's account or for all accounts. */
  full?: true
  /** True if the pool drains. */
  draining?: true
  /** Estimated time until the queue has room, in milliseconds. Set only with `full`. */
  retryAfterMs?: number
}

export type ActionResult = ReturnedResult | FailedResult | LostResult

export type RunControl = {
  /**
   * Stops the run when aborted. A queued run then ends as `lost` and not started. A started run ends as `failed` with
   * the code `stopped`.
   */
  signal: AbortSignal
  /** Drops a queued run when aborted. The run then ends as `lost` and not started. A started run continues. */
  unwanted?: AbortSignal
  started(): void
  /** Called with console output while the run is in progress. The result contains all of it again. */
  printed?: (lines: readonly LogLine[]) => void
}

export type PoolLoad = {
  starting: number
  free: number
  busy: number
  waiting: number
  isBroken: boolean
}

export type ActionPool = {
  /**
   * Executes an action. Never rejects. The run waits for a free executor: in order within its account, and in turn with
   * other accounts.
   */
  run(request: RunRequest, capability: Capability, control?: RunControl): Promise<ActionResult>
  /** Returns the refusal that `run` would return immediately, or undefined if `run` would accept the request. */
  refusal(
    request: Pick<RunRequest, 'account' | 'code' | 'params' | 'heldBytes'>,
  ): LostResult | undefined
  load(): PoolLoad
  /** Resolves when the minimum number of executors is ready. Rejects if executors cannot be started. */
  ready(): Promise<void>
  /** Drops queued runs, and refuses new ones, with `draining`. Active runs continue. */
  drain(): void
  /** Stops all executors. Queued runs end as `lost` and not started, active runs as `lost` and started. */
  close(): Promise<void>
}
