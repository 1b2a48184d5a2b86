type Waiting<Item, Result> = {
  item: Item
  resolve: (result: Result) => void
  reject: (error: unknown) => void
}

type GroupCommitOptions<Item, Result> = {
  /**
   * Writes a batch. Resolves when all its items are on disk, with one result for each item, in the same order. If it
   * rejects, all items of the batch are rejected.
   */
  write(batch: readonly Item[]): Promise<readonly Result[]>
  /** Called after the items of a batch were resolved. */
  committed?(): void
  bytesOf?: (item: Item) => number
  /**
   * Called before each write. If it returns a promise, the write waits for it, and includes the items that arrive in
   * the meantime.
   */
  delay?(): Promise<void> | undefined
}

const BATCH_MAX = 256
const BATCH_BYTES_MAX = 4 * 1024 * 1024

/**
 * Group commit: items that arrive during a write are written together in the next batch. Without a `delay`, a single
 * item does not wait for a timer. Many items share one disk write.
 */
export class GroupCommit<Item, Result = void> {
  readonly #options: GroupCommitOptions<Item, Result>
  #waiting: Waiting<Item, Result>[] = []
  #isWriting = false

  constructor(options: GroupCommitOptions<Item, Result>) {
    this.#options = options
  }

  /** Resolves when the item is on disk. */
  add(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject })
      if (!this.#isWriting) void this.#writeAll()
    })
  }

  async #writeAll(): Promise<void> {
    this.#isWriting = true
    while (this.#waiting.length > 0) {
      // A delay that fails must not prevent the write.
      const delay = this.#options.delay?.()
      if (delay) await delay.catch(() => {})
      const batch = this.#takeBatch()
      try {
        const results = await this.#options.write(batch.map(({ item }) => item))
        batch.forEach(({ resolve }, at) => resolve(results[at]!))
        this.#options.committed?.()
      } catch (error) {
        for (const { reject } of batch) reject(error)
      }
    }
    this.#isWriting = false
  }

  #takeBatch(): Waiting<Item, Result>[] {
    const { bytesOf = () => 0 } = this.#options
    let count = 0
    for (let bytes = 0; count < Math.min(this.#waiting.length, BATCH_MAX); count++) {
      bytes += bytesOf(this.#waiting[count]!.item)
      if (count > 0 && bytes > BATCH_BYTES_MAX) break
    }
    return this.#waiting.splice(0, count)
  }
}
