/**
 * Group commit: arrivals that come while a sync is under way share the next one. One arrival alone waits for
 * no timer, and many cost one write to disk together.
 */
export type GroupCommitOptions<Arrival> = {
  /** Writes a batch in one transaction. */
  insert(batch: readonly Arrival[]): void
  /** Returns when everything written so far is on disk. */
  sync(): Promise<void>
  /** After each batch that is on disk. */
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

  /** Returns when the arrival is on disk; rejects when it is not, and then nothing of it is kept. */
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
