import { availableParallelism } from 'node:os'
import { availableMemory } from '../../admission/available-memory.ts'
import { memoryLimits } from '../../admission/memory-limits.ts'
import type { ExecutorEnd } from './executor-process.ts'
import { type OutboundPolicy, PUBLIC_ONLY } from '../outbound/policy.ts'
import { type TemplateFile, buildTemplateFile } from './template.ts'

/** Default minimum of executors. With two, one executor can execute a run while the other resets its sandbox. */
export const EXECUTORS_MIN_DEFAULT = 2

/** Idle time after which an executor above the minimum is stopped. */
const EXECUTOR_IDLE_MS = 30_000

/** Number of runs after which an executor is replaced, to limit memory leaks and fragmentation. */
const RUNS_PER_EXECUTOR = 10_000

/**
 * Resident memory at which an executor is replaced early. The value is twice the memory that remains in use after a
 * sandbox has used all of its own memory.
 */
export const RSS_MAX_BYTES = 256 * 1024 * 1024

const CORES = availableParallelism()

/** Starting is CPU-bound, so more starts than cores would slow each other down. */
export const STARTING_MAX = CORES

/** CPU time after which a run gets a lower priority than all shorter runs. */
export const LONG_COMPUTING_MS = 100

/**
 * Maximum retry delay reported to rejected callers. The duration of queued runs is only an estimate, and the queue
 * would run empty if callers returned too late. Retrying is cheap.
 */
export const RETRY_AFTER_MAX_MS = 1_000

/** Maximum number of runs that wait for an executor. */
export const QUEUE_MAX = 4_096

/** Delay before the next attempt to start an executor, after `FAILED_STARTS_MAX` failed starts. */
export const FAILED_START_BACKOFF_MS = 500

/** Number of consecutive failed starts after which queued runs fail. */
export const FAILED_STARTS_MAX = 3

export type PoolEvent =
  | { type: 'executor_ready'; pid: number | undefined; startMs: number }
  | ({ type: 'executor_ended'; pid: number | undefined; runs: number } & ExecutorEnd)

export type ActionPoolOptions = {
  min?: number
  /**
   * Maximum number of executors, which may exceed the number of cores, because many runs only wait.
   * @default as many as the available memory allows
   */
  max?: number
  /**
   * Maximum memory for the sources and params of runs that wait for an executor.
   * @default a sixteenth of the available memory, at most 256 MiB
   */
  queuedBytes?: number
  /**
   * Number of cores available to runs. If it is above the machine's number of cores, computing runs compete for the
   * cores.
   * @default number of cores of the machine
   */
  cores?: number
  idleMs?: number
  runsPerExecutor?: number
  /** True if the machine is overloaded. Accounts that already have runs may then not queue further runs. */
  isUnderPressure?: () => boolean
  /** Template file, if its build has already been started. By default, the pool builds the template. */
  template?: Promise<TemplateFile>
  /** Non-public hosts that actions may reach, and hosts that actions may never reach. */
  outbound?: OutboundPolicy
  onEvent?: (event: PoolEvent) => void
  onRunStarted?: (waitedMs: number) => void
}

export function withDefaults(options: ActionPoolOptions): Required<ActionPoolOptions> {
  const min = options.min ?? EXECUTORS_MIN_DEFAULT
  const { executors, queuedBytes } = memoryLimits(availableMemory())
  return {
    min,
    max: Math.max(1, min, options.max ?? executors),
    queuedBytes: options.queuedBytes ?? queuedBytes,
    cores: options.cores ?? CORES,
    idleMs: options.idleMs ?? EXECUTOR_IDLE_MS,
    runsPerExecutor: options.runsPerExecutor ?? RUNS_PER_EXECUTOR,
    isUnderPressure: options.isUnderPressure ?? (() => false),
    template: options.template ?? buildTemplateFile(),
    outbound: options.outbound ?? PUBLIC_ONLY,
    onEvent: options.onEvent ?? (() => {}),
    onRunStarted: options.onRunStarted ?? (() => {}),
  }
}
