import { causeOf } from '../db/cause-of.ts'

/** A part of an object that has to do something at times of its own. */
export type Tended = {
  name: string
  /** Starts what is due, and returns. @returns when to call it again at the latest, Unix milliseconds */
  tend(now: number): number | undefined | void
  /** It may be called later than it asked for, so that it is in nobody's way. */
  patient?: true
}

/** Parts that are patient wait for the next alarm when that one is as near as this, */
const SOON_MS = 20_000
/** but no longer than this. */
const PATIENCE_MS = 60_000

/** A part that failed is called again after this. */
const FAILED_AGAIN_MS = 1_000

/** An alarm that is late by this much does not come any more. */
const OVERDUE_MS = 5_000

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
  /** While the parts are looked after: the earliest time that any of them has asked for so far. */
  #asked: number | undefined
  /** When the patient parts were last looked after. */
  #patientAt = Number.NEGATIVE_INFINITY

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
    if (this.#asked !== undefined) this.#asked = Math.min(this.#asked, at)
    else if (at < this.#at) this.#set(at)
  }

  /** Does what a lost alarm left undone. @param by when it has to fire at the latest */
  async recover(now: number, by: number): Promise<void> {
    const at = await this.#storage.getAlarm()
    if (at === null || at > by || at < now - OVERDUE_MS) this.fired(now)
  }

  /**
   * What the object does when its alarm fires; also asked for when the alarm may have been lost. The alarm is set
   * once for all parts: each time is a write to the disk, and what is due at one moment in many objects waits for it.
   */
  fired(now: number): void {
    this.#asked = Number.POSITIVE_INFINITY
    const tend = (part: Tended) => this.guarded(part.name, now, () => part.tend(now))
    for (const part of this.#parts) if (!part.patient) tend(part)
    if (this.#asked > now + SOON_MS || Math.abs(now - this.#patientAt) >= PATIENCE_MS) {
      this.#patientAt = now
      for (const part of this.#parts) if (part.patient) tend(part)
    }
    const at = this.#asked
    this.#asked = undefined
    this.#at = Number.POSITIVE_INFINITY
    if (at < Number.POSITIVE_INFINITY) this.#set(at)
  }

  /** Work that must not throw; where it does, the parts are looked after again soon. */
  guarded(name: string, now: number, work: () => number | undefined | void): void {
    try {
      const next = work()
      if (typeof next === 'number') this.armBy(next)
    } catch (error) {
      this.#log('alarm.failed', { part: name, error: causeOf(error) })
      this.armBy(now + FAILED_AGAIN_MS)
    }
  }

  #set(at: number): void {
    this.#at = at
    void this.#storage.setAlarm(at)
  }
}
