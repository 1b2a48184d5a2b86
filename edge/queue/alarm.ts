import { rootCauseText } from '../db/root-cause-text.ts'
import { isAlarmLost } from '../deadline.ts'

type AlarmTask = {
  name: string
  /**
   * Starts the work that is due, without waiting for it to finish.
   * @returns the time by which the task must be called again, in Unix milliseconds; `undefined` if no call is needed
   */
  runDue(now: number): number | undefined | void
  /** May run later than requested, so that it never delays other tasks. */
  lowPriority?: true
}

/** Low-priority tasks are postponed to the next alarm if that alarm is due within 20 s. */
const COALESCE_MS = 20_000
const LOW_PRIORITY_DELAY_MAX_MS = 60_000

const FAILURE_RETRY_MS = 1_000

/**
 * Multiplexes the single alarm of a Durable Object among its tasks. The handler never throws, because the platform
 * retries a failing alarm six times and then drops it.
 */
export class Alarm {
  readonly #storage: Pick<DurableObjectStorage, 'getAlarm' | 'setAlarm'>
  #tasks: readonly AlarmTask[] = []
  readonly #log: (event: string, facts: Record<string, string>) => void
  #at = Number.POSITIVE_INFINITY
  /** Earliest alarm time requested in the current pass over the tasks; undefined between passes. */
  #requestedAt: number | undefined
  #lowPriorityRanAt = Number.NEGATIVE_INFINITY

  constructor(
    storage: Pick<DurableObjectStorage, 'getAlarm' | 'setAlarm'>,
    log: (event: string, facts: Record<string, string>) => void,
  ) {
    this.#storage = storage
    this.#log = log
  }

  /** The constructor does not take them, because the tasks themselves need a reference to the alarm. */
  setTasks(tasks: readonly AlarmTask[]): void {
    this.#tasks = tasks
  }

  /**
   * Loads the stored alarm time after an eviction, so that a request for a later time does not replace the stored one.
   */
  async load(): Promise<void> {
    this.#at = (await this.#storage.getAlarm()) ?? Number.POSITIVE_INFINITY
  }

  armBy(at: number): void {
    if (this.#requestedAt !== undefined) this.#requestedAt = Math.min(this.#requestedAt, at)
    else if (at < this.#at) this.#set(at)
  }

  /** Runs the alarm tasks now if the stored alarm is missing, overdue or set too late. */
  async recover(now: number, by: number): Promise<void> {
    if (isAlarmLost(await this.#storage.getAlarm(), now, by)) this.runTasks(now)
  }

  /**
   * Runs all tasks, and sets the next alarm only once, after the last task. Each `setAlarm` is a disk write, so
   * additional calls would delay the work if many objects are woken at the same moment.
   */
  runTasks(now: number): void {
    this.#requestedAt = Number.POSITIVE_INFINITY
    const run = (task: AlarmTask) => this.runGuarded(task.name, now, () => task.runDue(now))
    for (const task of this.#tasks) if (!task.lowPriority) run(task)
    if (
      this.#requestedAt > now + COALESCE_MS ||
      Math.abs(now - this.#lowPriorityRanAt) >= LOW_PRIORITY_DELAY_MAX_MS
    ) {
      this.#lowPriorityRanAt = now
      for (const task of this.#tasks) if (task.lowPriority) run(task)
    }
    const at = this.#requestedAt
    this.#requestedAt = undefined
    this.#at = Number.POSITIVE_INFINITY
    if (at < Number.POSITIVE_INFINITY) this.#set(at)
  }

  runGuarded(name: string, now: number, work: () => number | undefined | void): void {
    try {
      const next = work()
      if (typeof next === 'number') this.armBy(next)
    } catch (error) {
      this.#log('alarm.failed', { part: name, error: rootCauseText(error) })
      this.armBy(now + FAILURE_RETRY_MS)
    }
  }

  #set(at: number): void {
    this.#at = at
    void this.#storage.setAlarm(at)
  }
}
