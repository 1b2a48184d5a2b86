/** A part of an object that has to do something at times of its own. */
export type Tended = {
  name: string
  /** Starts what is due, and returns. @returns when to call it again at the latest, Unix milliseconds */
  tend(now: number): number | undefined | void
}

/** A part that failed is called again after this. */
const FAILED_AGAIN_MS = 1_000

/**
 * The one alarm of an object, shared by its parts: set to the earliest time that any of them asked for. It never
 * throws: a thrown alarm is tried six times and then lost for ever.
 */
export class Alarm {
  readonly #storage: Pick<DurableObjectStorage, 'getAlarm' | 'setAlarm'>
  readonly #parts: readonly Tended[]
  readonly #log: (event: string, facts: Record<string, string>) => void
  /** When the alarm fires. */
  #at = Number.POSITIVE_INFINITY

  constructor(
    storage: Pick<DurableObjectStorage, 'getAlarm' | 'setAlarm'>,
    parts: readonly Tended[],
    log: (event: string, facts: Record<string, string>) => void,
  ) {
    this.#storage = storage
    this.#parts = parts
    this.#log = log
  }

  /** Learns what an earlier life of the object has set: a later time must not take its place. */
  async load(): Promise<void> {
    this.#at = (await this.#storage.getAlarm()) ?? Number.POSITIVE_INFINITY
  }

  /** Makes sure that the alarm fires at this time or before. */
  armBy(at: number): void {
    if (at >= this.#at) return
    this.#at = at
    void this.#storage.setAlarm(at)
  }

  /** What the object does when its alarm fires; also asked for when the alarm may have been lost. */
  fired(now: number): void {
    this.#at = Number.POSITIVE_INFINITY
    for (const part of this.#parts) this.guarded(part.name, now, () => part.tend(now))
  }

  /** Work that must not throw; where it does, the parts are looked after again soon. */
  guarded(name: string, now: number, work: () => number | undefined | void): void {
    try {
      const next = work()
      if (typeof next === 'number') this.armBy(next)
    } catch (error) {
      this.#log('alarm.failed', { part: name, error: String(error).slice(0, 300) })
      this.armBy(now + FAILED_AGAIN_MS)
    }
  }
}
