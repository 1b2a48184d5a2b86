import type { Sleep } from '../../sleep.ts'
import type { ChainReader } from '../rpc/chain-reader.ts'
import { ChainUnreachableError } from '../../../shared/rpc/chain-read-errors.ts'
import { DELIVERIES_AT_ONCE } from '../subscription.ts'
import { BlockRejectedError } from './read-block-logs.ts'
import { RetryBackoff } from './retry-backoff.ts'
import type { RangeRequest, LogBatch } from './range-reader.ts'
import type { RangeSize } from './range-size.ts'
import { BackfillTask } from './backfill-task.ts'
import { REQUESTS_AT_ONCE } from './read-queries.ts'
import type { BackfillRange, BackfillSource } from './backfill-source.ts'

/**
 * Time for which logs stay buffered while a trigger queue is full. Without the buffer, a full queue that starts one run
 * a second would request the same range again for each run.
 */
const BUFFERED_WHILE_FULL_MS = 60_000

/** Maximum size of all buffered logs, as measured by `weightOf`. An isolate has only 128 MB of memory. */
const BUFFERED_MAX = 20_000

type BackfillOptions = {
  chain: ChainReader
  source: BackfillSource
  size: RangeSize
  now: () => number
  random: () => number
  sleep: Sleep
  keepAlive: (work: Promise<unknown>) => void
  log: (event: string, facts: object) => void
}

/**
 * Reads old blocks for the cursors that need them, and delivers the logs to the triggers. Block ranges take turns after
 * every request, and a single range may use all requests. Reading starts with `poke` and stops when no range is left.
 */
export class BackfillRunner {
  readonly #options: BackfillOptions
  /** Tasks by cursor, in the order in which their block ranges take turns. */
  readonly #tasks = new Map<string, BackfillTask>()
  readonly #chainBackoff = new RetryBackoff()
  #requestsInFlight = 0
  #deliveriesInFlight = 0
  #isStale = false
  #timer: AbortController | undefined

  constructor(options: BackfillOptions) {
    this.#options = options
  }

  /** Notifies the runner of a new block range, or that a full trigger queue has room again. */
  poke(): void {
    this.#isStale = true
    this.#advance()
  }

  discardBuffered(): void {
    this.#tasks.clear()
    this.poke()
  }

  /** Begins the deliveries and requests that are possible now. Called again whenever a request or delivery finishes. */
  #advance(): void {
    try {
      if (this.#isStale) this.#refresh()
      for (const [key, task] of this.#tasks) this.#deliverIfReady(key, task)
      while (this.#requestsInFlight < REQUESTS_AT_ONCE && this.#sendNext());
      this.#setTimer()
    } catch (error) {
      this.#options.log('backfill.broken', { reason: nameOf(error) })
    }
  }

  #refresh(): void {
    this.#isStale = false
    const due = new Map(this.#options.source.due().map((range) => [keyOf(range), range]))
    const tooLong = this.#options.now() - BUFFERED_WHILE_FULL_MS
    for (const [key, { isDelivering, fullSince }] of this.#tasks) {
      const isWaited = isDelivering || (fullSince !== undefined && fullSince > tooLong)
      if (!due.has(key) && !isWaited) this.#tasks.delete(key)
    }
    for (const [key, range] of due) {
      const task = this.#tasks.get(key)
      if (!task) this.#tasks.set(key, new BackfillTask(range))
      else if (!task.isDelivering) task.resume(range)
    }
  }

  #sendNext(): boolean {
    const { chain, size, now } = this.#options
    if (!this.#chainBackoff.isOver(now()) || this.#deliveriesInFlight >= DELIVERIES_AT_ONCE)
      return false
    const room = this.#room()
    // The first request of a range may exceed the remaining room. Without this check, a thousand ranges could each send
    // such a request.
    if (room <= 0 && this.#requestsInFlight + this.#deliveriesInFlight > 0) return false
    for (const [key, task] of this.#tasks) {
      if (!this.#isActive(task)) continue
      const request = task.next(chain, size, room, this.#requestsInFlight === 0)
      if (!request) continue
      // Moves the task to the end of the queue, so that the next range gets its turn.
      this.#tasks.delete(key)
      this.#tasks.set(key, task)
      this.#requestsInFlight++
      this.#options.keepAlive(this.#send(task, request))
      return true
    }
    return false
  }

  async #send(task: BackfillTask, request: RangeRequest): Promise<void> {
    try {
      await task.send(request)
      this.#chainBackoff.succeeded()
    } catch (error) {
      this.#recordFailure(task, error)
    }
    this.#requestsInFlight--
    this.#advance()
  }

  #recordFailure(task: BackfillTask, error: unknown): void {
    const { now, random, log } = this.#options
    if (error instanceof ChainUnreachableError) return this.#chainBackoff.failed(now(), random())
    task.backoff.failed(now(), random())
    const { triggerId } = task.range
    if (error instanceof BlockRejectedError)
      log('backfill.refused', { trigger: triggerId, reason: error.message })
    else log('backfill.failed', { trigger: triggerId, reason: nameOf(error) })
  }

  #deliverIfReady(key: string, task: BackfillTask): void {
    if (
      task.isDelivering ||
      !this.#isActive(task) ||
      this.#deliveriesInFlight >= DELIVERIES_AT_ONCE
    )
      return
    const read = task.readyLogs()
    if (!read) return
    task.isDelivering = true
    this.#deliveriesInFlight++
    this.#options.keepAlive(this.#deliver(key, task, read))
  }

  async #deliver(key: string, task: BackfillTask, read: LogBatch): Promise<void> {
    const { source, now, random, log } = this.#options
    let answer: Awaited<ReturnType<BackfillSource['deliver']>> = 'away'
    try {
      answer = await source.deliver(task.range, read.logs, read.through)
    } catch (error) {
      log('backfill.untold', { trigger: task.range.triggerId, reason: nameOf(error) })
    }
    task.isDelivering = false
    this.#deliveriesInFlight--
    const isCurrent = this.#tasks.get(key) === task
    switch (answer) {
      case 'taken':
        task.backoff.succeeded()
        task.recordDelivered(read)
        if (task.isDone && isCurrent) this.#remove(key)
        break
      case 'full':
        task.fullSince = now()
        break
      case 'away':
        task.backoff.failed(now(), random())
        break
      case 'over':
        if (isCurrent) this.#remove(key)
        break
    }
    this.#advance()
  }

  #remove(key: string): void {
    this.#tasks.delete(key)
    this.#isStale = true
  }

  #isActive({ fullSince, backoff }: BackfillTask): boolean {
    return fullSince === undefined && backoff.isOver(this.#options.now())
  }

  /** If no room is left, stalled block ranges discard their buffered logs. */
  #room(): number {
    let room = BUFFERED_MAX
    for (const { weight } of this.#tasks.values()) room -= weight
    if (room > 0) return room
    for (const task of this.#tasks.values()) {
      if (task.isDelivering || this.#isActive(task)) continue
      room += task.weight
      task.discard()
    }
    return room
  }

  #setTimer(): void {
    this.#timer?.abort()
    this.#timer = undefined
    const now = this.#options.now()
    const active = [...this.#tasks.values()].filter(({ fullSince }) => fullSince === undefined)
    const ends = active.map(({ backoff }) => backoff.until).filter((until) => until > now)
    if (active.length > 0 && this.#chainBackoff.until > now) ends.push(this.#chainBackoff.until)
    if (ends.length === 0) return
    const timer = new AbortController()
    this.#timer = timer
    const asleep = this.#options.sleep(Math.min(...ends) - now, timer.signal)
    this.#options.keepAlive(asleep.then(() => (timer.signal.aborted ? undefined : this.#advance())))
  }
}

function keyOf({ triggerId, generation, lane }: BackfillRange): string {
  return `${triggerId} ${generation} ${lane}`
}

/**
 * Returns an error's class name for the log. The error's message may contain the provider's API key, so it is never
 * logged.
 */
function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : typeof error
}
