import { NotFound } from '../failures/by-status.ts'
import type { CallOptions } from '../options.ts'
import type { TriggersParts } from './send-request.ts'
import { retryWhileUnavailable } from './retry-while-unavailable.ts'
import type { Run } from './records.ts'
import { runPages, fetchRunsPage } from './run-pages.ts'
import { fetchRun } from './wait-for-run.ts'

/** The oldest runs are expected to finish first. */
const POLL_BATCH_RUNS = 100
/** A Worker can have six open connections. */
const CONCURRENT_REQUESTS = 4

type TrackedRun = { id: string; queuedAt: number }

export class UnfinishedRuns {
  readonly #parts: TriggersParts
  readonly #triggerId: string
  readonly #options: CallOptions
  readonly #runs = new Map<string, TrackedRun>()
  #rotation = 0

  constructor(parts: TriggersParts, triggerId: string, options: CallOptions) {
    this.#parts = parts
    this.#triggerId = triggerId
    this.#options = options
  }

  get size(): number {
    return this.#runs.size
  }

  add({ id, queued_at }: Run): void {
    this.#runs.set(id, { id, queuedAt: Date.parse(queued_at) })
  }

  /** Yields finished runs in small batches, and stops tracking them. */
  async *finishedRuns(): AsyncGenerator<Run[], void, undefined> {
    for (const batch of this.#batchesToPoll()) {
      const unfinished = await this.#unfinishedIds(batch)
      const left = batch.filter(({ id }) => !unfinished.has(id))
      for (let at = 0; at < left.length; at += CONCURRENT_REQUESTS) {
        const runs = await Promise.all(
          left.slice(at, at + CONCURRENT_REQUESTS).map(({ id }) => this.#takeFinished(id)),
        )
        yield runs.filter((run) => run !== undefined)
      }
    }
  }

  /**
   * Returns the runs to poll: the oldest runs, and a part of the others in rotation. Long-running old runs therefore do
   * not delay the detection of later runs that have finished.
   */
  #batchesToPoll(): TrackedRun[][] {
    const all = [...this.#runs.values()].toSorted((one, other) => one.queuedAt - other.queuedAt)
    const oldest = all.splice(0, POLL_BATCH_RUNS)
    if (all.length === 0) return oldest.length > 0 ? [oldest] : []
    const from = (this.#rotation++ % Math.ceil(all.length / POLL_BATCH_RUNS)) * POLL_BATCH_RUNS
    return [oldest, all.slice(from, from + POLL_BATCH_RUNS)]
  }

  /**
   * Returns the IDs of the runs that have not finished. Uses two list requests instead of one request per run. A run
   * that moves from queued to running between the requests is in the first list. A run that moves back to the queue may
   * be missing from both lists.
   */
  async #unfinishedIds(batch: readonly TrackedRun[]): Promise<Set<string>> {
    const range = {
      triggerId: this.#triggerId,
      since: new Date(batch[0]!.queuedAt),
      until: new Date(batch.at(-1)!.queuedAt + 1),
    }
    const unfinished = new Set<string>()
    for (const status of ['queued', 'running'] as const) {
      const pages = runPages((place) =>
        this.#retrying(() =>
          fetchRunsPage(this.#parts, { ...range, status }, place, this.#options),
        ),
      )
      for await (const { runs } of pages) for (const { id } of runs) unfinished.add(id)
    }
    return unfinished
  }

  /** Undefined if the run has not finished yet, or was deleted. */
  async #takeFinished(id: string): Promise<Run | undefined> {
    try {
      const run = await this.#retrying(() => fetchRun(this.#parts, id, this.#options))
      if (run.finished_at === null) return undefined
      this.#runs.delete(id)
      return run
    } catch (error) {
      if (!(error instanceof NotFound)) throw error
      this.#runs.delete(id)
      return undefined
    }
  }

  #retrying<Answer>(question: () => Promise<Answer>): Promise<Answer> {
    return retryWhileUnavailable(question, this.#parts, this.#options.signal)
  }
}
