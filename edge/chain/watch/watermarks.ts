/**
 * Watermarks by finality. A watermark is the block up to which the triggers of a finality have received logs. It
 * advances with the latest finalized block, and is moved back by a reorganization. Methods that write must be called in
 * a transaction.
 */
export class Watermarks {
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

  /** Returns undefined if the latest finalized block is not known yet. */
  get(key: string): number | undefined {
    return this.#blocks.get(key)
  }

  /** Returns the block up to which the caught-up triggers have received logs or are receiving them. */
  target(key: string): number | undefined {
    return this.#moving.get(key) ?? this.#blocks.get(key)
  }

  isMoving(key: string): boolean {
    return this.#moving.has(key)
  }

  lowest(): number | undefined {
    return this.#blocks.size === 0 ? undefined : Math.min(...this.#blocks.values())
  }

  entries(): IterableIterator<[string, number]> {
    return this.#blocks.entries()
  }

  /** Must be called when a delivery starts. Triggers that subscribe during the delivery are not included. */
  beginMove(to: Map<string, number>): void {
    this.#moving = to
  }

  endMove(): void {
    this.#moving = new Map()
  }

  set(key: string, block: number): void {
    if (this.#blocks.get(key) === block) return
    this.#sql.exec('INSERT OR REPLACE INTO marks (finality, block) VALUES (?, ?)', key, block)
    this.#blocks.set(key, block)
  }

  rollBack(to: number): void {
    for (const [key, block] of this.#blocks) if (block > to) this.set(key, to)
  }

  /** Deletes the watermarks that no trigger uses, because they would no longer advance. */
  keepOnly(keys: ReadonlySet<string>): void {
    for (const key of this.#blocks.keys())
      if (!keys.has(key)) {
        this.#sql.exec('DELETE FROM marks WHERE finality = ?', key)
        this.#blocks.delete(key)
      }
  }
}
