import { causeOf } from '../db/cause-of.ts'

export type Tended = {
  name: string
  /**
   * Starts the work that is due, without waiting for it to finish.
   * @returns the time by which the task must be called again, in Unix milliseconds; `undefined` if no call is needed
   */
  tend(now: number): number | undefined | void
  /** Marks a low-priority task, which may run later than it requested so that it never delays other tasks. */
  patient?: true
}

/** Low-priority tasks wait for the next alarm if it is due within this time. */
const SOON_MS = 20_000
/** Maximum delay of low-priority tasks. */
const PATIENCE_MS = 60_000

/** Delay before the tasks run again after a failure. */
const FAILED_AGAIN_MS = 1_000

/** Time after which an overdue alarm counts as lost. */
const OVERDUE_MS = 5_000

/**
 * Multiplexes the single alarm of a Durable Object among its tasks. The handler never throws, because the platform
 * retries a failing alarm six times and then drops it.
 */
export class Alarm {
  readonly #storage: Pick<DurableObjectStorage, 'getAlarm' | 'setAlarm'>
  readonly #parts: readonly Tended[]
  readonly #log: (event: string, facts: Record<string, string>) => void
  #at = Number.POSITIVE_INFINITY
  /** Earliest time requested in the current pass over the tasks; undefined between passes. */
  #asked: number | undefined
  /** Last run of the low-priority tasks, in Unix milliseconds. */
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

  /** Loads the stored alarm time after an eviction, so that a request for a later time does not replace it. */
  async load(): Promise<void> {
    this.#at = (await this.#storage.getAlarm()) ?? Number.POSITIVE_INFINITY
  }

  /** Ensures that the alarm fires no later than `at`. */
  armBy(at: number): void {
    if (this.#asked !== undefined) this.#asked = Math.min(this.#asked, at)
    else if (at < this.#at) this.#set(at)
  }

  /**
   * Runs the alarm tasks now if the stored alarm is missing, overdue or set too late.
   * @param by the latest acceptable alarm time, in Unix milliseconds
   */
  async recover(now: number, by: number): Promise<void> {
    const at = await this.#storage.getAlarm()
    if (at === null || at > by || at < now - OVERDUE_MS) this.fired(now)
  }

  /**
   * Called when the alarm fires, and when it may have been lost. The next alarm is set only once, after all tasks have
   * run, because each `setAlarm` is a disk write. If many objects are woken at the same moment, additional writes would
   * delay their work.
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

  /** Logs any error that `work` throws. The alarm tasks then run again soon. */
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
