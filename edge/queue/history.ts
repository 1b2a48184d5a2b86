import { TRIGGER_ID_CHARACTERS } from '../../shared/ids.ts'
import type { RunRecord } from '../../shared/wire/trigger.ts'
import { encodeCursor } from './page-cursor.ts'
import { type RunRow, runRecord, type TriggerRow } from './records.ts'
import { type PageQuery, RunPages } from './run-pages.ts'
import { runLines } from './run-lines.ts'
import type { RunStore } from './run-store.ts'
import { runsPage } from './runs-page.ts'
import type { RunLine } from './trigger-glance.ts'

/** Bodies up to this size are shown in lists; larger ones by `run` alone. */
const LISTED_BODY_BYTES = 64 * 1024

/** The runs of one trigger as their owner reads them. */
export class History {
  readonly #store: RunStore
  readonly #pages: RunPages
  readonly #sql: Pick<SqlStorage, 'exec'>
  readonly #isThere: () => boolean

  /** @param isThere whether the trigger is: it may be deleted while a page of its history is read */
  constructor(store: RunStore, sql: Pick<SqlStorage, 'exec'>, isThere: () => boolean) {
    this.#store = store
    this.#pages = new RunPages(sql)
    this.#sql = sql
    this.#isThere = isThere
  }

  /** A page, newest first, as JSON text. */
  page(trigger: TriggerRow, query: PageQuery): ReadableStream<Uint8Array> {
    const { triggerId, prunedThrough } = trigger
    const { sequences, more } = this.#pages.page(query, prunedThrough)
    const next = more ? encodeCursor(triggerId, sequences.at(-1)!) : null
    return runsPage(this.#records(triggerId, sequences), next)
  }

  /** A page in lines, newest first. */
  lines(trigger: TriggerRow, query: PageQuery): { lines: RunLine[]; next: string | null } {
    const { triggerId, prunedThrough } = trigger
    const { sequences, more } = this.#pages.page(query, prunedThrough)
    const next = more ? encodeCursor(triggerId, sequences.at(-1)!) : null
    return { lines: runLines(this.#sql, sequences), next }
  }

  /** One run with its whole input. */
  run(triggerId: string, runId: string): RunRecord | undefined {
    const row = this.#store.bySuffix(runId.slice(TRIGGER_ID_CHARACTERS))
    return row && this.#record(triggerId, row, this.#store.body(row))
  }

  /** Read one after the other, while the page is: what is deleted meanwhile is left out. */
  *#records(triggerId: string, sequences: readonly number[]): Generator<RunRecord, void> {
    for (const sequence of sequences) {
      if (!this.#isThere()) return
      const row = this.#store.listed(sequence, LISTED_BODY_BYTES)
      if (row) yield this.#record(triggerId, row, row.body ?? 'omitted')
    }
  }

  #record(triggerId: string, row: RunRow, body: Uint8Array | 'omitted'): RunRecord {
    const revision = this.#store.revision(row.revision)
    return runRecord(triggerId, row, revision, body, this.#store.result(row.sequence))
  }
}
