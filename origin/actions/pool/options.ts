import { availableParallelism } from 'node:os'
import type { ExecutorEnd } from './executor-process.ts'
import type { OutboundPolicy } from '../outbound/policy.ts'
import { PUBLIC_ONLY } from '../outbound/policy.ts'
import type { TemplateFile } from './template.ts'
import { makeTemplateFile } from './template.ts'

/** Executors kept warm: one runs while the other resets its sandbox. */
export const MIN_DEFAULT = 2

/**
 * Maximum number of executors. Each takes 31 MB of private memory, and most runs beyond the number of cores are
 * waiting.
 */
export const MAX_DEFAULT = 64

/** Idle time after which an executor above the minimum is stopped. */
export const IDLE_MS = 30_000

/** Number of runs after which an executor is replaced, to limit leaks and fragmentation. */
export const RUNS_PER_EXECUTOR = 10_000

/** Memory at which an executor is replaced earlier: twice what remains after a sandbox has used all of its memory. */
export const RSS_MAX_BYTES = 256 * 1024 * 1024

export const CORES = availableParallelism()

/** Executors that may start at once. Starting is CPU work, so more of them than cores would slow each other down. */
export const STARTING_MAX = CORES

/** CPU time after which a run yields the processors to all shorter runs. */
export const LONG_COMPUTING_MS = 100

/**
 * Upper limit of the retry delay for callers. How long queued runs take is a guess, and the queue would run empty if
 * callers came back too late. Retrying costs little.
 */
export const RETRY_AFTER_MAX_MS = 1_000

/** Limits on the runs that wait for an executor, and on the memory for their sources and params. */
export const WAITING_MAX = 512
export const WAITING_BYTES_MAX = 256 * 1024 * 1024

/** Delay before the next start after `FAILED_STARTS_MAX` failed ones. */
export const FAILED_START_PAUSE_MS = 500

/** Consecutive failed starts after which waiting runs fail. */
export const FAILED_STARTS_MAX = 3

export type PoolEvent =
  | { type: 'executor_ready'; pid: number | undefined; startMs: number }
  | ({ type: 'executor_ended'; pid: number | undefined; runs: number } & ExecutorEnd)

export type ActionPoolOptions = {
  min?: number
  max?: number
  /**
   * Runs of one account that may start computing at once. Defaults to the number of cores: more would only take turns.
   */
  cores?: number
  idleMs?: number
  runsPerExecutor?: number
  /** True if the machine has more to compute than it can. An account that already has runs may then not queue more. */
  isUnderPressure?: () => boolean
  /** The template for the executors, if its build was started earlier. */
  template?: Promise<TemplateFile>
  /** Hosts that actions may reach besides public ones, and hosts that they may never reach. */
  outbound?: OutboundPolicy
  onEvent?: (event: PoolEvent) => void
  /** Called when a run gets an executor, with the milliseconds that it waited. */
  onRunStarted?: (waitedMs: number) => void
}

export function withDefaults(options: ActionPoolOptions): Required<ActionPoolOptions> {
  const min = options.min ?? MIN_DEFAULT
  return {
    min,
    max: Math.max(1, min, options.max ?? MAX_DEFAULT),
    cores: options.cores ?? CORES,
    idleMs: options.idleMs ?? IDLE_MS,
    runsPerExecutor: options.runsPerExecutor ?? RUNS_PER_EXECUTOR,
    isUnderPressure: options.isUnderPressure ?? (() => false),
    template: options.template ?? makeTemplateFile(),
    outbound: options.outbound ?? PUBLIC_ONLY,
    onEvent: options.onEvent ?? (() => {}),
    onRunStarted: options.onRunStarted ?? (() => {}),
  }
}
