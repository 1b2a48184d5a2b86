/**
 * Group commit: items that arrive during a sync are written together in the next batch. A single item does not wait for
 * a timer, and many items share one disk write.
 */
type GroupCommitOptions<Arrival> = {
  /** Writes a batch in one transaction. */
  insert(batch: readonly Arrival[]): void
  /** Resolves when everything written so far is on disk. */
  sync(): Promise<void>
  committed(): void
}

type Waiting<Arrival> = { arrival: Arrival; accept: () => void; reject: (error: unknown) => void }

export class GroupCommit<Arrival> {
  readonly #options: GroupCommitOptions<Arrival>
  #waiting: Waiting<Arrival>[] = []
  #committing = false

  constructor(options: GroupCommitOptions<Arrival>) {
    this.#options = options
  }

  /** Resolves when the item is on disk. If the promise is rejected, no part of the item is stored. */
  add(arrival: Arrival): Promise<void> {
    return new Promise((accept, reject) => {
      this.#waiting.push({ arrival, accept, reject })
      if (!this.#committing) void this.#commit()
    })
  }

  async #commit(): Promise<void> {
    this.#committing = true
    while (this.#waiting.length > 0) {
      const batch = this.#waiting
      this.#waiting = []
      try {
        this.#options.insert(batch.map((waiting) => waiting.arrival))
        await this.#options.sync()
        for (const waiting of batch) waiting.accept()
        this.#options.committed()
      } catch (error) {
        for (const waiting of batch) waiting.reject(error)
      }
    }
    this.#committing = false
  }
}
