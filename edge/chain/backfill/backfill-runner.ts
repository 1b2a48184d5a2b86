import type { ChainReader } from '../rpc/chain-reader.ts'
import { ChainAway } from '../rpc/rpc-failures.ts'
import { BlockRefused } from './one-block.ts'
import { Pause } from './pause.ts'
import type { Question, ReadLogs } from './range-reader.ts'
import type { RangeSize } from './range-size.ts'
import { StretchReading } from './stretch-reading.ts'
import type { Stretch, Stretches } from './stretch.ts'

/** Requests in flight across all ranges. Free plans accept this many without a 429. */
export const QUESTIONS_AT_ONCE = 4

/** Deliveries in flight. A trigger may take seconds to answer, and the others should not wait for it. */
const TOLD_AT_ONCE = 32

/**
 * How long logs are kept for a trigger with a full queue. Without this, a trigger that starts a run a second would
 * request the same range again for each of them.
 */
const KEPT_WHILE_FULL_MS = 60_000

/** Logs of all ranges that may be in memory, by `weightOf`. An isolate has 128 MB for everything it does. */
const HELD_MAX = 20_000

type Parts = {
  chain: ChainReader
  stretches: Stretches
  size: RangeSize
  now: () => number
  random: () => number
  sleep: (ms: number, ended: AbortSignal) => Promise<void>
  /** Keeps the object alive while the promise is pending. */
  keepAlive: (work: Promise<unknown>) => void
  log: (event: string, facts: object) => void
}

/**
 * Reads old blocks for the cursors that need them, and delivers the logs to their triggers. Ranges take turns, request
 * by request. A single range may use all requests. Starts when poked, continues on its own, and stops when there is
 * nothing left to read.
 */
export class BackfillRunner {
  readonly #parts: Parts
  /** In the order of their turns. */
  readonly #readings = new Map<string, StretchReading>()
  readonly #chainPause = new Pause()
  #asked = 0
  #told = 0
  #isStale = false
  #timer: AbortController | undefined

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Reloads the ranges, because there is a new one or a full trigger queue has room again. */
  poke(): void {
    this.#isStale = true
    this.#goOn()
  }

  /** Discards everything read but not delivered, because blocks that were final have been replaced. */
  forget(): void {
    this.#readings.clear()
    this.poke()
  }

  /** Starts everything that can start now. Called again whenever something finishes. */
  #goOn(): void {
    try {
      if (this.#isStale) this.#look()
      for (const [key, reading] of this.#readings) this.#tellIfReady(key, reading)
      while (this.#asked < QUESTIONS_AT_ONCE && this.#askNext());
      this.#setTimer()
    } catch (error) {
      this.#parts.log('backfill.broken', { reason: nameOf(error) })
    }
  }

  /** Synchronizes the readings with the positions of the cursors. */
  #look(): void {
    this.#isStale = false
    const due = new Map(this.#parts.stretches.due().map((stretch) => [keyOf(stretch), stretch]))
    const tooLong = this.#parts.now() - KEPT_WHILE_FULL_MS
    for (const [key, { isTelling, fullSince }] of this.#readings) {
      const isWaited = isTelling || (fullSince !== undefined && fullSince > tooLong)
      if (!due.has(key) && !isWaited) this.#readings.delete(key)
    }
    for (const [key, stretch] of due) {
      const reading = this.#readings.get(key)
      if (!reading) this.#readings.set(key, new StretchReading(stretch))
      else if (!reading.isTelling) reading.resume(stretch)
    }
  }

  /** @returns true if a request was sent */
  #askNext(): boolean {
    const { chain, size, now } = this.#parts
    if (!this.#chainPause.isOver(now()) || this.#told >= TOLD_AT_ONCE) return false
    const room = this.#room()
    // The first part of a range may exceed the room. Without this check, each of a thousand ranges would add its own.
    if (room <= 0 && this.#asked + this.#told > 0) return false
    for (const [key, reading] of this.#readings) {
      if (!this.#isGoing(reading)) continue
      const question = reading.next(chain, size, room, this.#asked === 0)
      if (!question) continue
      // Move it to the end of the queue.
      this.#readings.delete(key)
      this.#readings.set(key, reading)
      this.#asked++
      this.#parts.keepAlive(this.#ask(reading, question))
      return true
    }
    return false
  }

  async #ask(reading: StretchReading, question: Question): Promise<void> {
    try {
      await reading.ask(question)
      this.#chainPause.succeeded()
    } catch (error) {
      this.#failed(reading, error)
    }
    this.#asked--
    this.#goOn()
  }

  #failed(reading: StretchReading, error: unknown): void {
    const { now, random, log } = this.#parts
    if (error instanceof ChainAway) return this.#chainPause.failed(now(), random())
    reading.pause.failed(now(), random())
    const { triggerId } = reading.stretch
    if (error instanceof BlockRefused)
      log('backfill.refused', { trigger: triggerId, reason: error.message })
    else log('backfill.failed', { trigger: triggerId, reason: nameOf(error) })
  }

  #tellIfReady(key: string, reading: StretchReading): void {
    if (reading.isTelling || !this.#isGoing(reading) || this.#told >= TOLD_AT_ONCE) return
    const read = reading.ready()
    if (!read) return
    reading.isTelling = true
    this.#told++
    this.#parts.keepAlive(this.#tell(key, reading, read))
  }

  async #tell(key: string, reading: StretchReading, read: ReadLogs): Promise<void> {
    const { stretches, now, random, log } = this.#parts
    let answer: Awaited<ReturnType<Stretches['tell']>> = 'away'
    try {
      answer = await stretches.tell(reading.stretch, read.logs, read.through)
    } catch (error) {
      log('backfill.untold', { trigger: reading.stretch.triggerId, reason: nameOf(error) })
    }
    reading.isTelling = false
    this.#told--
    const isCurrent = this.#readings.get(key) === reading
    switch (answer) {
      case 'taken':
        reading.pause.succeeded()
        reading.told(read)
        if (reading.isOver && isCurrent) this.#remove(key)
        break
      case 'full':
        reading.fullSince = now()
        break
      case 'away':
        reading.pause.failed(now(), random())
        break
      case 'over':
        if (isCurrent) this.#remove(key)
        break
    }
    this.#goOn()
  }

  /** The next `#look` determines what the cursor needs now, if anything. */
  #remove(key: string): void {
    this.#readings.delete(key)
    this.#isStale = true
  }

  #isGoing({ fullSince, pause }: StretchReading): boolean {
    return fullSince === undefined && pause.isOver(this.#parts.now())
  }

  /** Logs that may still be read ahead. If there is no room, readings that cannot continue release what they hold. */
  #room(): number {
    let room = HELD_MAX
    for (const { weight } of this.#readings.values()) room -= weight
    if (room > 0) return room
    for (const reading of this.#readings.values()) {
      if (reading.isTelling || this.#isGoing(reading)) continue
      room += reading.weight
      reading.forget()
    }
    return room
  }

  /** Resumes when the first backoff ends. */
  #setTimer(): void {
    this.#timer?.abort()
    this.#timer = undefined
    const now = this.#parts.now()
    const pauses = [...this.#readings.values()].filter(({ fullSince }) => fullSince === undefined)
    const ends = pauses.map(({ pause }) => pause.until).filter((until) => until > now)
    if (pauses.length > 0 && this.#chainPause.until > now) ends.push(this.#chainPause.until)
    if (ends.length === 0) return
    const timer = new AbortController()
    this.#timer = timer
    const asleep = this.#parts.sleep(Math.min(...ends) - now, timer.signal)
    this.#parts.keepAlive(asleep.then(() => (timer.signal.aborted ? undefined : this.#goOn())))
  }
}

function keyOf({ triggerId, generation, lane }: Stretch): string {
  return `${triggerId} ${generation} ${lane}`
}

/** Returns only the class: a message from other code may contain the provider's key. */
function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : typeof error
}
