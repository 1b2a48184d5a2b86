import { causeOf } from '../db/cause-of.ts'

/** A task of a Durable Object that runs on the object's alarm. */
export type Tended = {
  name: string
  /**
   * Starts the work that is due, and returns.
   * @returns the latest time of the next call, Unix milliseconds
   */
  tend(now: number): number | undefined | void
  /** Low priority: may run later than requested, so that it never delays other tasks. */
  patient?: true
}

/** Low-priority tasks wait for the next alarm if it is due within this time. */
const SOON_MS = 20_000
/** The longest time for which low-priority tasks are deferred. */
const PATIENCE_MS = 60_000

/** Delay before the tasks run again after one of them failed. */
const FAILED_AGAIN_MS = 1_000

/** An alarm that is overdue by this much counts as lost. */
const OVERDUE_MS = 5_000

/**
 * The single alarm of a Durable Object, shared by its tasks and set to the earliest time that any of them requested. It
 * never throws: the platform retries an alarm that throws six times and then drops it.
 */
export class Alarm {
  readonly #storage: Pick<DurableObjectStorage, 'getAlarm' | 'setAlarm'>
  readonly #parts: readonly Tended[]
  readonly #log: (event: string, facts: Record<string, string>) => void
  #at = Number.POSITIVE_INFINITY
  /** The earliest time that any task has requested in the current pass. */
  #asked: number | undefined
  /** When the low-priority tasks last ran. */
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

  /** Restores the stored alarm after eviction, so that a later time does not replace it. */
  async load(): Promise<void> {
    this.#at = (await this.#storage.getAlarm()) ?? Number.POSITIVE_INFINITY
  }

  /** Ensures that the alarm fires at this time or earlier. */
  armBy(at: number): void {
    if (this.#asked !== undefined) this.#asked = Math.min(this.#asked, at)
    else if (at < this.#at) this.#set(at)
  }

  /**
   * Runs the tasks now if the alarm was lost.
   * @param by the latest time at which the alarm has to fire
   */
  async recover(now: number, by: number): Promise<void> {
    const at = await this.#storage.getAlarm()
    if (at === null || at > by || at < now - OVERDUE_MS) this.fired(now)
  }

  /**
   * Runs the tasks. Called when the alarm fires, and when it may have been lost. The alarm is set once for all tasks,
   * because each `setAlarm` is a disk write that delays work due in many objects at the same moment.
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

  /** Runs work that may throw. An error is logged, and the tasks run again soon. */
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
