import { TRIGGER_ID_CHARACTERS } from '../../shared/ids.ts'
import type { RunRecord } from '../../shared/wire/trigger.ts'
import { type RunRow, runRecord } from './records.ts'
import type { RunStore } from './run-store.ts'
import { runsPage } from './runs-page.ts'

/** Bodies up to this size are shown in lists; larger ones by `run` alone. */
const LISTED_BODY_BYTES = 64 * 1024

export type PageQuery = { limit: number; offset: number }

/** The runs of one trigger as their owner reads them. */
export class History {
  readonly #store: RunStore

  constructor(store: RunStore) {
    this.#store = store
  }

  /** A page, newest first, as JSON text. */
  page(triggerId: string, { limit, offset }: PageQuery): ReadableStream<Uint8Array> {
    return runsPage(this.#records(triggerId, this.#store.page(limit, offset)))
  }

  /** One run with its whole input. */
  run(triggerId: string, runId: string): RunRecord | undefined {
    const row = this.#store.bySuffix(runId.slice(TRIGGER_ID_CHARACTERS))
    return row && this.#record(triggerId, row, this.#store.body(row))
  }

  *#records(triggerId: string, sequences: readonly number[]): Generator<RunRecord, void> {
    for (const sequence of sequences) {
      const row = this.#store.bySequence(sequence)
      const listed = row && row.bodyBytes <= LISTED_BODY_BYTES
      if (row) yield this.#record(triggerId, row, listed ? this.#store.body(row) : 'omitted')
    }
  }

  #record(triggerId: string, row: RunRow, body: Uint8Array | 'omitted'): RunRecord {
    const revision = this.#store.revision(row.revision)
    return runRecord(triggerId, row, revision, body, this.#store.result(row.sequence))
  }
}
