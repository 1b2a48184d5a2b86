/**
 * Up to which block the triggers of each finality have been told. A mark rises with the last final block, and goes back
 * with a reorganisation. What writes is called in a transaction of its caller.
 */
export class Marks {
  readonly #sql: SqlStorage
  readonly #blocks = new Map<string, number>()
  /** Where marks are going while triggers are told of what is between. */
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

  /** `undefined` until it is known which block is final by this rule. */
  of(mark: string): number | undefined {
    return this.#blocks.get(mark)
  }

  /** The block up to which triggers in step are being told, or have been. */
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

  /** Whoever comes from here on is not among those who are told. */
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

  /** Forgets those that nobody needs: they would stand still. */
  keepOnly(marks: ReadonlySet<string>): void {
    for (const mark of this.#blocks.keys())
      if (!marks.has(mark)) {
        this.#sql.exec('DELETE FROM marks WHERE finality = ?', mark)
        this.#blocks.delete(mark)
      }
  }
}
