/**
 * Watermarks: the block up to which the triggers of each finality have received logs. A watermark rises with the last
 * final block, and is moved back by a reorganization. Methods that write must be called in a transaction.
 */
export class Marks {
  readonly #sql: SqlStorage
  readonly #blocks = new Map<string, number>()
  /** Targets of the watermarks while logs are being delivered. */
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

  /** Undefined until the last final block of this finality is known. */
  of(mark: string): number | undefined {
    return this.#blocks.get(mark)
  }

  /** Returns the block up to which caught-up triggers have received logs, or are receiving them. */
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

  /** Starts a delivery. Triggers that subscribe while it is in flight are not part of it. */
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

  /** Deletes watermarks that no trigger uses, because they would not move. */
  keepOnly(marks: ReadonlySet<string>): void {
    for (const mark of this.#blocks.keys())
      if (!marks.has(mark)) {
        this.#sql.exec('DELETE FROM marks WHERE finality = ?', mark)
        this.#blocks.delete(mark)
      }
  }
}
