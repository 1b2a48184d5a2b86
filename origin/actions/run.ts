/** Interface between an execution and the rest of the origin: its request, its access to keys, and its result. */
import type { LogLine } from '../../shared/log-line.ts'

export type RunRequest = {
  /** Hash of the account that owns the run. Accounts share the executors and the queue. */
  account: string
  /** The action's source, evaluated as a script that defines `main(params)`. */
  code: string
  /** JSON text of an object. */
  params: string
  /** Bytes that the request keeps in memory while it waits, if more than its source and params. */
  heldBytes?: number
  /** Limit on the wall time from the hand-over to an executor. Waiting for a free executor does not count. */
  wallMs: number
  /** Limit on the CPU time of the executor's thread while it runs this action. */
  cpuMs: number
}

/** A key operation as requested by the action. The process that holds the keys checks the permission. */
export type KeyOperation =
  | { name: 'getPrivateKey'; pkpId: string }
  | { name: 'encrypt'; pkpId: string; message: string }
  | { name: 'decrypt'; pkpId: string; ciphertext: string }
  | { name: 'getSvcActionPrivateKey' }
  | { name: 'getSvcActionPublicKey'; ipfsId: string }
  | { name: 'getSvcActionWalletAddress'; ipfsId: string }

/**
 * Access of one run to keys, valid only during the run. Rejects with an Error that has a message for the action's
 * author.
 */
export type Capability = { keyOperation(operation: KeyOperation): Promise<string> }

/** Codes of failures that the action itself causes (`docs/actions.md`). */
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

export type RunReturned = {
  kind: 'returned'
  /** JSON text; 'null' for undefined. */
  value: string
  logs: LogLine[]
  durationMs: number
  cpuMs?: number
}

export type RunFailed = {
  kind: 'failed'
  code: FailureCode
  message: string
  /** Name and message, then the action's own frames (`action.js:line:column`); '' if there are none. */
  stack: string
  logs: LogLine[]
  durationMs: number
  cpuMs?: number
}

/** The executor exited for a reason unrelated to the action. `started` is true if guest code may have run. */
export type RunLost = {
  kind: 'lost'
  reason: string
  started: boolean
  /** The queue is full, for this account or for all. */
  full?: true
  /** With `full`: milliseconds until there may be room. */
  retryAfterMs?: number
}

export type RunResult = RunReturned | RunFailed | RunLost

export type RunControl = {
  /** Stops the run: `lost` and not started if it was waiting, `failed` with `stopped` if it had started. */
  signal: AbortSignal
  /** The run is no longer wanted: `lost` and not started if it was waiting. A run that has started continues. */
  unwanted?: AbortSignal
  /** Called when an executor has taken the run. Its time counts from here on. */
  started(): void
}

/** Executors by state, number of waiting runs, and whether no executor can be started. */
export type PoolLoad = {
  starting: number
  free: number
  busy: number
  waiting: number
  isBroken: boolean
}

export type ActionPool = {
  /**
   * Never rejects. Waits for a free executor, in order among the runs of its account, and in turn with other accounts.
   */
  run(request: RunRequest, capability: Capability, control?: RunControl): Promise<RunResult>
  /** Returns the refusal with which `run` would respond at once, or undefined if it would accept the run. */
  refusal(
    request: Pick<RunRequest, 'account' | 'code' | 'params' | 'heldBytes'>,
  ): RunLost | undefined
  load(): PoolLoad
  /** Resolves when the warm executors can take runs. Rejects if executors cannot be started. */
  ready(): Promise<void>
  /** Stops every executor. Waiting runs are lost as not started, active ones as started. */
  close(): Promise<void>
}
