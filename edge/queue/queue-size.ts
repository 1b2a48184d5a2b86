/** Number and total body size of a trigger's queued runs, including runs that are still being written to disk. */
export class QueueSize {
  #queued = 0
  #bytes = 0

  load(onDisk: { queued: number; queuedBytes: number }): void {
    this.#queued = onDisk.queued
    this.#bytes = onDisk.queuedBytes
  }

  /** `change` is 1 after a run has entered the queue, and -1 after it has left. */
  adjust(change: 1 | -1, bodyBytes: number): void {
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
