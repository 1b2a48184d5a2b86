import { TRIGGER_ID_CHARACTERS } from '../../shared/ids.ts'
import { LISTED_INPUTS_MAX_BYTES } from '../../shared/limits.ts'
import { isSearch, type RunSearch } from '../../shared/wire/run-search.ts'
import type { RunRecord } from '../../shared/wire/trigger.ts'
import { encodeCursor } from './page-cursor.ts'
import {
  type RevisionRow,
  type RunResult,
  type RunRow,
  toRunRecord,
  type TriggerRow,
} from './records.ts'
import { type PageQuery, readPage, type SizedRun, type SizedRunPage } from './run-pages.ts'
import { matchesSearch, needsBody, SearchBudget } from './run-search.ts'
import { readLastFailure, readRunSummaries } from './run-summaries.ts'
import type { RunStore } from './run-store.ts'
import type { LastFailure, RunSummary } from './trigger-snapshot.ts'

export type RunRange = {
  /** Newest first. */
  runs: (RunSummary & { sequence: number })[]
  /** Sequence number of the last run that was read; null if the whole range was read. */
  last: number | null
}

export class RunHistory {
  readonly #store: RunStore
  readonly #sql: Pick<SqlStorage, 'exec'>
  readonly #exists: () => boolean

  /** @param exists returns false once the trigger has been deleted, which may happen while a page is being read */
  constructor(store: RunStore, sql: Pick<SqlStorage, 'exec'>, exists: () => boolean) {
    this.#store = store
    this.#sql = sql
    this.#exists = exists
  }

  /** JSON text, newest first. */
  page(trigger: TriggerRow, query: PageQuery): ReadableStream<Uint8Array> {
    const { runs, next } = this.#page(trigger, query)
    return streamRunsPage(this.#records(trigger.triggerId, runs), next)
  }

  summaries(trigger: TriggerRow, query: PageQuery): { lines: RunSummary[]; next: string | null } {
    const { runs, next } = this.#page(trigger, query)
    const sequences = runs.map(({ sequence }) => sequence)
    return { lines: readRunSummaries(this.#sql, sequences), next }
  }

  lastFailure(): LastFailure | null {
    return readLastFailure(this.#sql)
  }

  /** Reads this trigger's part of a run list that covers several triggers. */
  range(trigger: TriggerRow, query: PageQuery): RunRange {
    const { runs: found, last } = this.#read(trigger, query)
    const sequences = found.map(({ sequence }) => sequence)
    const summaries = readRunSummaries(this.#sql, sequences)
    return { runs: summaries.map((run, at) => ({ ...run, sequence: sequences[at]! })), last }
  }

  #page(trigger: TriggerRow, query: PageQuery) {
    const { runs, last } = this.#read(trigger, query)
    return { runs, next: last === null ? null : encodeCursor(trigger.triggerId, last) }
  }

  #read({ triggerId, prunedThrough }: TriggerRow, query: PageQuery): SizedRunPage {
    const { search } = query
    return search && isSearch(search)
      ? this.#search(triggerId, prunedThrough, query, search)
      : readPage(this.#sql, query, prunedThrough)
  }

  /** The page ends early if the budget of the search is spent. `last` is then the last run that was read. */
  #search(
    triggerId: string,
    prunedThrough: number,
    query: PageQuery,
    search: RunSearch,
  ): SizedRunPage {
    const budget = new SearchBudget()
    const revisions = new Map<number, RevisionRow>()
    const status = search.error === undefined ? query.status : 'failed'
    const { runs: candidates, last } = readPage(
      this.#sql,
      { ...query, status, limit: budget.runs },
      prunedThrough,
    )
    const runs: SizedRun[] = []
    for (const [at, candidate] of candidates.entries()) {
      const { sequence } = candidate
      const row = this.#store[needsBody(search) ? 'run' : 'runWithoutBody'](sequence)!
      const body = needsBody(search) ? this.#store.body(row) : 'omitted'
      const result = search.error === undefined ? undefined : this.#store.resultText(row)
      const revision = revisions.get(row.revision) ?? this.#store.revision(row.revision)
      revisions.set(row.revision, revision)
      budget.spend((body === 'omitted' ? 0 : body.length) + (result?.length ?? 0))
      const parsed = result === undefined ? undefined : (JSON.parse(result) as RunResult)
      if (matchesSearch(toRunRecord(triggerId, row, revision, body, parsed), search))
        runs.push(candidate)
      const isLast = at === candidates.length - 1 && last === null
      if (!isLast && (runs.length === query.limit || budget.runs === 0))
        return { runs, last: sequence }
    }
    return { runs, last }
  }

  run(triggerId: string, runId: string): RunRecord | undefined {
    const row = this.#store.bySuffix(runId.slice(TRIGGER_ID_CHARACTERS))
    return row && this.#record(triggerId, row, this.#store.body(row))
  }

  /** Reads one run at a time while the page is consumed. Skips runs that are deleted in the meantime. */
  *#records(triggerId: string, runs: readonly SizedRun[]): Generator<RunRecord, void> {
    const included = smallestWithin(LISTED_INPUTS_MAX_BYTES, runs)
    for (const { sequence } of runs) {
      if (!this.#exists()) return
      if (included.has(sequence)) {
        const row = this.#store.run(sequence)
        if (row) yield this.#record(triggerId, row, this.#store.body(row))
      } else {
        const row = this.#store.runWithoutBody(sequence)
        if (row) yield this.#record(triggerId, row, 'omitted')
      }
    }
  }

  #record(triggerId: string, row: RunRow, body: Uint8Array | 'omitted'): RunRecord {
    const revision = this.#store.revision(row.revision)
    return toRunRecord(triggerId, row, revision, body, this.#store.result(row))
  }
}

/**
 * Selects the runs to list with their bodies: the smallest first, and the newest first among equal sizes, until the
 * byte budget is used up.
 */
function smallestWithin(budget: number, sizes: readonly SizedRun[]): Set<number> {
  const fitting = new Set<number>()
  let left = budget
  for (const { sequence, bytes } of sizes.toSorted(bySize)) {
    if (bytes > left) break
    left -= bytes
    fitting.add(sequence)
  }
  return fitting
}

const bySize = (one: SizedRun, other: SizedRun) =>
  one.bytes - other.bytes || other.sequence - one.sequence

/**
 * Streams `{runs: [...], next_cursor}` as JSON text, one run at a time. A page of large runs can exceed the size limit
 * of an RPC value (32 MiB), and should not be loaded into memory as a whole.
 */
function streamRunsPage(
  runs: Iterable<RunRecord>,
  nextCursor: string | null,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  const texts = pageChunks(runs, nextCursor)
  return new ReadableStream({
    type: 'bytes',
    pull(controller) {
      const next = texts.next()
      if (next.done) controller.close()
      else controller.enqueue(encoder.encode(next.value))
    },
  })
}

function* pageChunks(
  runs: Iterable<RunRecord>,
  nextCursor: string | null,
): Generator<string, void> {
  let before = '{"runs":['
  for (const run of runs) {
    yield before + JSON.stringify(run)
    before = ','
  }
  yield `${before === ',' ? '' : before}],"next_cursor":${JSON.stringify(nextCursor)}}`
}
