/** What an execution is to the rest of the origin: its request, the keys it may ask for, and how it ended. */
import type { LogLine } from '../../shared/log-line.ts'

export type RunRequest = {
  /** Whose run it is: the account's hash. Accounts share the executors and the room to wait. */
  account: string
  /** The action's source, evaluated as a script that defines `main(params)`. */
  code: string
  /** JSON text of an object. */
  params: string
  /** What its request keeps in memory while it waits, where that is more than source and params. */
  heldBytes?: number
  /** Wall clock from the hand-over to an executor; waiting for a free executor does not count. */
  wallMs: number
  /** CPU time of the executor's thread while it runs this action. */
  cpuMs: number
}

/** A key operation, as the action asks for it; the process that holds the keys checks the permission. */
export type KeyOperation =
  | { name: 'getPrivateKey'; pkpId: string }
  | { name: 'encrypt'; pkpId: string; message: string }
  | { name: 'decrypt'; pkpId: string; ciphertext: string }
  | { name: 'getSvcActionPrivateKey' }
  | { name: 'getSvcActionPublicKey'; ipfsId: string }
  | { name: 'getSvcActionWalletAddress'; ipfsId: string }

/**
 * What one run may ask of the process that holds the keys; it lives only as long as the run.
 * Rejects with an Error whose message is for the action's author.
 */
export type Capability = { keyOperation(operation: KeyOperation): Promise<string> }

/** Every way in which a run can fail by the action's own doing (`decisions.md`, JSON-string errors). */
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
  /** Name and message, then the action's own frames (`action.js:line:column`); '' when there are none. */
  stack: string
  logs: LogLine[]
  durationMs: number
  cpuMs?: number
}

/** The executor ended for a reason that is not the action's; `started` says whether guest code may have run. */
export type RunLost = {
  kind: 'lost'
  reason: string
  started: boolean
  /** As many runs wait as may, of this account or of all. */
  full?: true
  /** With `full`: when there may be room. */
  retryAfterMs?: number
}

export type RunResult = RunReturned | RunFailed | RunLost

/** What a caller may do about a run that it has handed over. */
export type RunControl = {
  /** Ends the run: `lost` and not started while it waits, `failed` with `stopped` when it has begun. */
  signal: AbortSignal
  /** Nobody asks for the run any more: `lost` and not started while it waits; one that has begun goes on. */
  unwanted?: AbortSignal
  /** An executor has taken the run: from here on its time counts. */
  started(): void
}

/** Executors by what they do, runs that wait for one, and whether none can be started. */
export type PoolLoad = {
  starting: number
  free: number
  busy: number
  waiting: number
  isBroken: boolean
}

export type ActionPool = {
  /** Never rejects; waits for a free executor, in order among the runs of its account, in turn with other accounts. */
  run(request: RunRequest, capability: Capability, control?: RunControl): Promise<RunResult>
  /** What `run` would answer at once, without running it; `undefined` when it would take it. */
  refusal(
    request: Pick<RunRequest, 'account' | 'code' | 'params' | 'heldBytes'>,
  ): RunLost | undefined
  /** How things stand now. */
  load(): PoolLoad
  /** Resolves when the warm executors can take a run; rejects when executors cannot be started. */
  ready(): Promise<void>
  /** Ends every executor. Waiting runs are lost before their start, runs under way after it. */
  close(): Promise<void>
}
