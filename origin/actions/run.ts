/** Interface between the worker pool and the rest of the origin: run requests, access to keys, and results. */
import type { LogLine } from '../../shared/log-line.ts'

export type RunRequest = {
  /** Hash of the account that owns the run. Executors and queue capacity are shared fairly among accounts. */
  account: string
  /** Source of the action, evaluated as a script that defines `main(params)`. */
  code: string
  /** Params of the run: JSON text of an object. */
  params: string
  /**
   * Number of bytes that the request occupies in memory while it waits. Defaults to the size of the source and params.
   */
  heldBytes?: number
  /**
   * Wall time limit in milliseconds. Starts when an executor takes the run; the time spent in the queue does not count.
   */
  wallMs: number
  /** CPU time limit of the run in milliseconds, measured on the executor's thread. */
  cpuMs: number
}

/** A key operation requested by an action. The process that holds the keys checks whether it is permitted. */
export type KeyOperation =
  | { name: 'getPrivateKey'; pkpId: string }
  | { name: 'encrypt'; pkpId: string; message: string }
  | { name: 'decrypt'; pkpId: string; ciphertext: string }
  | { name: 'getSvcActionPrivateKey' }
  | { name: 'getSvcActionPublicKey'; ipfsId: string }
  | { name: 'getSvcActionWalletAddress'; ipfsId: string }

/**
 * Gives one run access to keys, only while the run is active. Rejects with an Error whose message is shown to the
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

export type RunReturned = {
  kind: 'returned'
  /** Returned value as JSON text. If `main` returned undefined, this is 'null'. */
  value: string
  logs: LogLine[]
  durationMs: number
  cpuMs?: number
}

export type RunFailed = {
  kind: 'failed'
  code: FailureCode
  message: string
  /**
   * Stack trace: the error's name and message, then the action's own frames (`action.js:line:column`). Empty if there
   * is none.
   */
  stack: string
  logs: LogLine[]
  durationMs: number
  cpuMs?: number
}

/**
 * Result of a run that was refused, dropped from the queue, or lost because its executor exited. `started` is true if
 * the action's code may have been executed.
 */
export type RunLost = {
  kind: 'lost'
  reason: string
  started: boolean
  /** Set if the run was refused because the queue is full, for its account or for all accounts. */
  full?: true
  /** Estimated time in milliseconds until the queue has room. Set only with `full`. */
  retryAfterMs?: number
}

export type RunResult = RunReturned | RunFailed | RunLost

export type RunControl = {
  /**
   * Aborting this signal stops the run. A queued run ends as `lost` and not started; a started run ends as `failed`
   * with the code `stopped`.
   */
  signal: AbortSignal
  /** Aborting this signal drops the run if it is still queued, as `lost` and not started. A started run continues. */
  unwanted?: AbortSignal
  /** Called when an executor has taken the run and its time starts to count. */
  started(): void
}

/** Current load of the worker pool: executors by state, number of queued runs, and whether the pool is broken. */
export type PoolLoad = {
  starting: number
  free: number
  busy: number
  waiting: number
  isBroken: boolean
}

export type ActionPool = {
  /**
   * Executes a run. Never rejects. The run waits for a free executor: in order within its account, and in turn with
   * other accounts.
   */
  run(request: RunRequest, capability: Capability, control?: RunControl): Promise<RunResult>
  /** Returns the refusal that `run` would return immediately, or undefined if `run` would accept the request. */
  refusal(
    request: Pick<RunRequest, 'account' | 'code' | 'params' | 'heldBytes'>,
  ): RunLost | undefined
  load(): PoolLoad
  /** Resolves when the minimum number of executors is ready. Rejects if executors cannot be started. */
  ready(): Promise<void>
  /** Stops all executors. Queued runs end as `lost` and not started, active runs as `lost` and started. */
  close(): Promise<void>
}
