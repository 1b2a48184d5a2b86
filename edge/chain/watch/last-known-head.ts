import type { Tip } from '../block-header.ts'

/** Same fields as in `ChainStatus`. */
export type HeadFacts = {
  head: number | null
  headTimestamp: number | null
  safe: number | null
  finalized: number | null
  answeredAt: number | null
}

type SeenRow = {
  head: number | null
  head_timestamp: number | null
  safe: number | null
  finalized: number | null
  answered_at: number | null
}

/** Last known state, shown even while no trigger watches the chain. Stored only when the head changes. */
export class LastKnownHead {
  readonly #sql: SqlStorage
  #facts: HeadFacts

  constructor(sql: SqlStorage) {
    this.#sql = sql
    const [row] = sql.exec<SeenRow>('SELECT * FROM watch')
    this.#facts = {
      head: row?.head ?? null,
      headTimestamp: row?.head_timestamp ?? null,
      safe: row?.safe ?? null,
      finalized: row?.finalized ?? null,
      answeredAt: row?.answered_at ?? null,
    }
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
