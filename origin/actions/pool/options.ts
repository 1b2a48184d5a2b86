import { availableParallelism } from 'node:os'
import type { ExecutorEnd } from './executor-process.ts'
import type { OutboundPolicy } from '../outbound/policy.ts'
import { PUBLIC_ONLY } from '../outbound/policy.ts'
import type { TemplateFile } from './template.ts'
import { makeTemplateFile } from './template.ts'

/** Executors kept warm: one runs while the other sets its sandbox back. */
export const MIN_DEFAULT = 2

/** Most executors at once: 31 MB of its own each, and most of the runs beyond the cores wait for something. */
export const MAX_DEFAULT = 64

/** An executor above the minimum that was idle for this long is ended. */
export const IDLE_MS = 30_000

/** Runs after which an executor is replaced: whatever leaks or fragments in it is bounded. */
export const RUNS_PER_EXECUTOR = 10_000

/** Memory at which it is replaced earlier: what a sandbox that used all of its own leaves, and as much again. */
export const RSS_MAX_BYTES = 256 * 1024 * 1024

/** What this process may use of the machine's. */
export const CORES = availableParallelism()

/** Executors that start at once: starting is CPU work, and more than the cores would slow each other. */
export const STARTING_MAX = CORES

/** A run that has computed for this long gives way on the processors to all that have not. */
export const LONG_COMPUTING_MS = 100

/**
 * The most that a caller is told to wait: how long the runs of a line take is a guess, and a line that nobody comes
 * back to stands empty. Asking again costs little.
 */
export const RETRY_AFTER_MAX_MS = 1_000

/** Runs that may wait for an executor, and what their sources and params may take: both are held in memory. */
export const WAITING_MAX = 512
export const WAITING_BYTES_MAX = 256 * 1024 * 1024

/** After that many failed starts, the next is tried no sooner than this. */
export const FAILED_START_PAUSE_MS = 500

/** Starts that may fail in a row before waiting runs are given up. */
export const FAILED_STARTS_MAX = 3

export type PoolEvent =
  | { type: 'executor_ready'; pid: number | undefined; startMs: number }
  | ({ type: 'executor_ended'; pid: number | undefined; runs: number } & ExecutorEnd)

export type ActionPoolOptions = {
  min?: number
  max?: number
  /** Runs of one account that may be started to compute at once: the cores, so that more would only take turns. */
  cores?: number
  idleMs?: number
  runsPerExecutor?: number
  /** Whether the machine has more to compute than it can: then who has runs already may not have more wait. */
  isUnderPressure?: () => boolean
  /** What executors start from, where it was begun to be made before. */
  template?: Promise<TemplateFile>
  /** What actions may reach besides public addresses, and what never. */
  outbound?: OutboundPolicy
  onEvent?: (event: PoolEvent) => void
  /** A run was given to an executor, after it has waited so many milliseconds for one. */
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
