import type { Tip } from '../../../shared/rpc/block-header.ts'

type HeadFacts = {
  head: number | null
  headTimestamp: number | null
  safe: number | null
  finalized: number | null
  answeredAt: number | null
}

const UNKNOWN: HeadFacts = {
  head: null,
  headTimestamp: null,
  safe: null,
  finalized: null,
  answeredAt: null,
}

/**
 * Last known head of the chain, which is available even while no trigger watches the chain. Stored only when the head
 * changes.
 */
export class LastKnownHead {
  readonly #sql: SqlStorage
  #facts: HeadFacts

  constructor(sql: SqlStorage) {
    this.#sql = sql
    const [row] = sql.exec<HeadFacts>(
      'SELECT head, head_timestamp AS headTimestamp, safe, finalized, answered_at AS answeredAt FROM watch',
    )
    this.#facts = row ?? UNKNOWN
  }

  get facts(): HeadFacts {
    return this.#facts
  }

  record({ latest, safe, finalized }: Tip, now: number): void {
    const before = this.#facts
    this.#facts = {
      head: latest.number,
      headTimestamp: latest.timestamp,
      safe: safe?.number ?? before.safe,
      finalized: finalized?.number ?? before.finalized,
      answeredAt: now,
    }
    if (before.head === latest.number) return
    this.#sql.exec(
      `INSERT INTO watch (id, head, head_timestamp, safe, finalized, answered_at) VALUES (1, ?1, ?2, ?3, ?4, ?5)
       ON CONFLICT (id) DO UPDATE
       SET head = ?1, head_timestamp = ?2, safe = ?3, finalized = ?4, answered_at = ?5`,
      latest.number,
      latest.timestamp,
      this.#facts.safe,
      this.#facts.finalized,
      now,
    )
  }
}
