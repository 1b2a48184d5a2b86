import type { Sleep } from '../../../../origin/db/in-time.ts'

/** Whose event it is: one of a dead process never happens, one of a process that stands still happens later. */
export type Owner = { alive: boolean; stillUntil: number }

type Event = { at: number; order: number; act: () => void; owner: Owner | undefined }

/** Promises that are settled have all been heard of when this comes. */
const settled = () => new Promise((resume) => setImmediate(resume))

/** Every wait of a simulation: events happen one after another, in the order of their times, and nothing real waits. */
export class VirtualTime {
  /** Milliseconds since the simulation began. */
  now = 0
  #events: Event[] = []
  #order = 0

  /** @returns what takes the event back */
  after(ms: number, act: () => void, owner?: Owner): () => void {
    const event = { at: this.now + Math.max(0, ms), order: this.#order++, act, owner }
    this.#insert(event)
    return () => {
      const index = this.#events.indexOf(event)
      if (index >= 0) this.#events.splice(index, 1)
    }
  }

  /** A sleep of one process. */
  sleeper(owner: Owner): Sleep {
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

  /** Calls back again and again. @returns what ends it */
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
   * Lets events happen, each with all that follows from it at once, until the time is over.
   * @param look called after each; true ends it
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
