/** How much of a trigger is queued: what is on disk, and what is on its way there. */
export class LiveCounts {
  #queued = 0
  #bytes = 0

  /** Begins with what is on disk. */
  begin(onDisk: { queued: number; queuedBytes: number }): void {
    this.#queued = onDisk.queued
    this.#bytes = onDisk.queuedBytes
  }

  /** A run that entered (1) or left (-1) the queue. */
  count(change: 1 | -1, bodyBytes: number): void {
    this.#queued += change
    this.#bytes += change * bodyBytes
  }

  get queued(): number {
    return this.#queued
  }

  get bytes(): number {
    return this.#bytes
  }
}
