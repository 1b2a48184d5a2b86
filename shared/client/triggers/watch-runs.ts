/**
 * Watches a trigger's runs. The service reports only that runs have changed, so the client then lists new runs, and unfinished
 * runs that have finished since.
 */
import { anySignal } from '../abortable.ts'
import type { CallOptions } from '../options.ts'
import { type TriggersParts } from './send-request.ts'
import { RunChanges } from './run-changes.ts'
import { retryWhileUnavailable } from './retry-while-unavailable.ts'
import type { Run } from './records.ts'
import {
  type HistoryQuery,
  type PagePosition,
  type PositionedRunsPage,
  runPages,
  fetchRunsPage,
} from './run-pages.ts'
import { UnfinishedRuns } from './unfinished-runs.ts'

export type WatchRunsOptions = CallOptions & {
  /**
   * Earliest time at which the runs were queued. Includes runs that have already finished. Default: only runs that
   * finish after the call.
   */
  since?: string | Date
}

/**
 * Yields runs when they finish. Watching starts with the call to this function, not with the first read from the
 * iterator.
 */
export function watchRuns(
  parts: TriggersParts,
  triggerId: string,
  options: WatchRunsOptions = {},
): AsyncGenerator<Run, void, undefined> {
  return watchedRuns(new RunWatcher(parts, triggerId, options))
}

async function* watchedRuns(watcher: RunWatcher): AsyncGenerator<Run, void, undefined> {
  await watcher.started
  for (;;) {
    while (!(await watcher.changes.next()).changed);
    yield* watcher.finishedRuns()
  }
}

export class RunWatcher {
  readonly changes: RunChanges
  /** Rejects if the initial state cannot be fetched. Callers await it before they use the watcher. */
  readonly started: Promise<void>
  readonly #parts: TriggersParts
  readonly #triggerId: string
  readonly #options: WatchRunsOptions
  readonly #signal: AbortSignal | undefined
  readonly #unfinished: UnfinishedRuns
  /**
   * Runs that were already seen: all runs queued before `until`, and the runs in `atThat`, which were queued exactly at
   * `until`.
   */
  #known: { until: string | undefined; atThat: Set<string> } = {
    until: undefined,
    atThat: new Set(),
  }

  constructor(parts: TriggersParts, triggerId: string, options: WatchRunsOptions) {
    this.#parts = parts
    this.#triggerId = triggerId
    this.#options = options
    this.#signal = anySignal(parts.signal, options.signal)
    this.changes = new RunChanges(parts, triggerId, options)
    this.#unfinished = new UnfinishedRuns(parts, triggerId, {
      ...options,
      ...(this.#signal && { signal: this.#signal }),
    })
    this.started = this.#start()
    // Prevents an unhandled rejection if no caller awaits it.
    this.started.catch(() => undefined)
  }

  /**
   * Fetches the initial state. Does not retry for long, so that a wrong ID, token or address is reported immediately.
   */
  async #start(): Promise<void> {
    const { since } = this.#options
    if (since !== undefined) {
      this.#known.until = typeof since === 'string' ? since : since.toISOString()
      return
    }
    const now = await this.#page({}, { cursor: undefined, limit: 1 })
    const [newest] = now.runs
    if (!newest) return
    const { id, queued_at: until } = newest
    this.#known.until = until
    for (const status of ['queued', 'running'] as const)
      for await (const { runs } of this.#pages({ status, until: new Date(Date.parse(until) + 1) }))
        for (const run of runs) this.#unfinished.add(run)
    let isKnown = false
    for await (const { runs } of this.#pages({ since: until }))
      for (const run of runs) {
        isKnown ||= run.id === id
        if (isKnown) this.#known.atThat.add(run.id)
      }
  }

  /** Yields the runs that have finished since the last call. */
  async *finishedRuns(): AsyncGenerator<Run, void, undefined> {
    for await (const runs of this.#poll()) yield* runs.toSorted(byFinishTime)
  }

  /** Yields batches of runs that have finished since the last poll, in the order in which they were queued. */
  async *#poll(): AsyncGenerator<Run[], void, undefined> {
    yield* this.#unfinished.finishedRuns()
    const since = this.#known.until
    const page = (place: PagePosition) =>
      retryWhileUnavailable(
        () => this.#page(since === undefined ? {} : { since }, place),
        this.#parts,
        this.#signal,
      )
    // Runs are yielded from oldest to newest. To keep only one page in memory, all pages but the newest are fetched a
    // second time.
    const places: PagePosition[] = []
    let newest: PositionedRunsPage | undefined
    for await (const read of runPages(page)) {
      newest ??= read
      places.push(read.place)
    }
    const until = newest?.runs[0]?.queued_at
    if (!newest || until === undefined) return
    const atThat = new Set(until === since ? this.#known.atThat : [])
    for (const place of places.toReversed()) {
      const { runs } = place === newest.place ? newest : await page(place)
      const unknown = runs.filter(({ id }) => !this.#known.atThat.has(id)).toReversed()
      for (const { id, queued_at } of runs) if (queued_at === until) atThat.add(id)
      for (const run of unknown) if (run.finished_at === null) this.#unfinished.add(run)
      yield unknown.filter(({ finished_at }) => finished_at !== null)
    }
    this.#known = { until, atThat }
  }

  #page(query: Omit<HistoryQuery, 'triggerId'>, place: PagePosition): Promise<PositionedRunsPage> {
    return fetchRunsPage(
      this.#parts,
      { ...query, triggerId: this.#triggerId },
      place,
      this.#options,
    )
  }

  #pages(query: Omit<HistoryQuery, 'triggerId'>): AsyncIterable<PositionedRunsPage> {
    return runPages((place) => this.#page(query, place))
  }
}

function byFinishTime(one: Run, other: Run): number {
  return Date.parse(one.finished_at!) - Date.parse(other.finished_at!)
}
