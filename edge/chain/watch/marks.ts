/**
 * Per finality, the block up to which its triggers have received logs. A watermark advances with the latest finalized
 * block, and is moved back by a reorganization. Methods that write must be called in a transaction.
 */
export class Marks {
  readonly #sql: SqlStorage
  readonly #blocks = new Map<string, number>()
  #moving = new Map<string, number>()

  constructor(sql: SqlStorage) {
    this.#sql = sql
    this.load()
  }

  load(): void {
    this.#blocks.clear()
    const rows = this.#sql.exec<{ finality: string; block: number }>('SELECT * FROM marks')
    for (const { finality, block } of rows) this.#blocks.set(finality, block)
  }

  /** Undefined if the latest finalized block for this finality is not known yet. */
  of(mark: string): number | undefined {
    return this.#blocks.get(mark)
  }

  /** Block up to which the caught-up triggers have received logs, or are receiving them. */
  reaching(mark: string): number | undefined {
    return this.#moving.get(mark) ?? this.#blocks.get(mark)
  }

  isMoving(mark: string): boolean {
    return this.#moving.has(mark)
  }

  lowest(): number | undefined {
    return this.#blocks.size === 0 ? undefined : Math.min(...this.#blocks.values())
  }

  entries(): IterableIterator<[string, number]> {
    return this.#blocks.entries()
  }

  /** Call when a delivery starts. Triggers that subscribe during the delivery are not part of it. */
  move(to: Map<string, number>): void {
    this.#moving = to
  }

  moved(): void {
    this.#moving = new Map()
  }

  set(mark: string, block: number): void {
    if (this.#blocks.get(mark) === block) return
    this.#sql.exec('INSERT OR REPLACE INTO marks (finality, block) VALUES (?, ?)', mark, block)
    this.#blocks.set(mark, block)
  }

  rollBack(to: number): void {
    for (const [mark, block] of this.#blocks) if (block > to) this.set(mark, to)
  }

  /** A watermark that no trigger uses would no longer advance. */
  keepOnly(marks: ReadonlySet<string>): void {
    for (const mark of this.#blocks.keys())
      if (!marks.has(mark)) {
        this.#sql.exec('DELETE FROM marks WHERE finality = ?', mark)
        this.#blocks.delete(mark)
      }
  }
}
