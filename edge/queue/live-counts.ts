/** The number and size of a trigger's queued runs, both on disk and being written. */
export class LiveCounts {
  #queued = 0
  #bytes = 0

  begin(onDisk: { queued: number; queuedBytes: number }): void {
    this.#queued = onDisk.queued
    this.#bytes = onDisk.queuedBytes
  }

  /** Counts a run that entered (1) or left (-1) the queue. */
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
