import type { AbortableSleep } from '../../../../origin/timeout.ts'

/**
 * The process that an event belongs to. Events of a dead process never happen, and events of a paused one are delayed.
 */
export type Owner = { alive: boolean; stillUntil: number }

type Event = { at: number; order: number; act: () => void; owner: Owner | undefined }

/** Resolves after the callbacks of all settled promises have run. */
const settled = () => new Promise((resume) => setImmediate(resume))

/** Virtual time of a simulation: events happen one after another, in order of their times, without real delays. */
export class VirtualTime {
  /** Milliseconds since the simulation began. */
  now = 0
  #events: Event[] = []
  #order = 0

  /** @returns a function that cancels the event */
  after(ms: number, act: () => void, owner?: Owner): () => void {
    const event = { at: this.now + Math.max(0, ms), order: this.#order++, act, owner }
    this.#insert(event)
    return () => {
      const index = this.#events.indexOf(event)
      if (index >= 0) this.#events.splice(index, 1)
    }
  }

  /** Returns the sleep function of one process. */
  sleeper(owner: Owner): AbortableSleep {
    return (ms, signal) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason as Error)
        const cancel = this.after(ms, resolve, owner)
        signal?.addEventListener('abort', () => {
          cancel()
          reject(signal.reason as Error)
        })
      })
  }

  /**
   * Calls back repeatedly.
   * @returns a function that stops it
   */
  repeat(ms: number, act: () => void, owner: Owner): () => void {
    let cancel = this.after(ms, turn, owner)
    const after = this.after.bind(this)
    function turn() {
      cancel = after(ms, turn, owner)
      act()
    }
    return () => cancel()
  }

  /**
   * Runs events, each with all of its immediate effects, until the given time.
   * @param look called after each event; the run stops if it returns true
   */
  async run(until: number, look: () => boolean): Promise<void> {
    await settled()
    if (look()) return
    for (let next = this.#events[0]; next && next.at <= until; next = this.#events[0]) {
      this.#events.shift()
      const { owner } = next
      if (owner && !owner.alive) continue
      if (owner && owner.stillUntil > next.at) {
        this.#insert({ ...next, at: owner.stillUntil, order: this.#order++ })
        continue
      }
      this.now = next.at
      next.act()
      await settled()
      if (look()) return
    }
    this.now = Math.max(this.now, until)
  }

  #insert(event: Event): void {
    let index = this.#events.length
    while (index > 0) {
      const before = this.#events[index - 1]!
      if (before.at < event.at || (before.at === event.at && before.order < event.order)) break
      index--
    }
    this.#events.splice(index, 0, event)
  }
}
