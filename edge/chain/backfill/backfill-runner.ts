import type { ChainReader } from '../rpc/chain-reader.ts'
import { ChainAway } from '../rpc/rpc-failures.ts'
import { BlockRefused } from './one-block.ts'
import { Pause } from './pause.ts'
import type { Question, ReadLogs } from './range-reader.ts'
import type { RangeSize } from './range-size.ts'
import { StretchReading } from './stretch-reading.ts'
import type { Stretch, Stretches } from './stretch.ts'

/** Free plans of providers accept this many requests at a time without responding 429. */
export const QUESTIONS_AT_ONCE = 4

/** A trigger may take seconds to accept a delivery, and the other triggers should not wait for it. */
const TOLD_AT_ONCE = 32

/** Without this buffer, a full trigger that starts one run a second would request the same range again for each run. */
const KEPT_WHILE_FULL_MS = 60_000

/** Maximum size of all buffered logs, as counted by `weightOf`. An isolate has 128 MB of memory for everything. */
const HELD_MAX = 20_000

type Parts = {
  chain: ChainReader
  stretches: Stretches
  size: RangeSize
  now: () => number
  random: () => number
  sleep: (ms: number, ended: AbortSignal) => Promise<void>
  keepAlive: (work: Promise<unknown>) => void
  log: (event: string, facts: object) => void
}

/**
 * Reads old blocks for the cursors that need them, and delivers the logs to the triggers. Block ranges take turns,
 * request by request; a single range may use all requests. Runs from `poke` until there is nothing left to read.
 */
export class BackfillRunner {
  readonly #parts: Parts
  /** In the order in which block ranges take turns. */
  readonly #readings = new Map<string, StretchReading>()
  readonly #chainPause = new Pause()
  #asked = 0
  #told = 0
  #isStale = false
  #timer: AbortController | undefined

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Call when there is a new block range, or when a full trigger queue has room again. */
  poke(): void {
    this.#isStale = true
    this.#goOn()
  }

  /** Discards undelivered logs, after finalized blocks have been replaced. */
  forget(): void {
    this.#readings.clear()
    this.poke()
  }

  /** Called again whenever a request or delivery finishes. */
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

  /** Synchronizes `#readings` with the stored positions of the cursors. */
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

  /** Returns true if a request was sent. */
  #askNext(): boolean {
    const { chain, size, now } = this.#parts
    if (!this.#chainPause.isOver(now()) || this.#told >= TOLD_AT_ONCE) return false
    const room = this.#room()
    // The first request of a range may exceed the remaining room. Unchecked, a thousand ranges could each send one.
    if (room <= 0 && this.#asked + this.#told > 0) return false
    for (const [key, reading] of this.#readings) {
      if (!this.#isGoing(reading)) continue
      const question = reading.next(chain, size, room, this.#asked === 0)
      if (!question) continue
      // Moves the block range to the end of the queue.
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

  /** The next `#look` determines which range the cursor needs now, if any. */
  #remove(key: string): void {
    this.#readings.delete(key)
    this.#isStale = true
  }

  #isGoing({ fullSince, pause }: StretchReading): boolean {
    return fullSince === undefined && pause.isOver(this.#parts.now())
  }

  /** Size of logs that may still be read ahead. If none is left, stalled block ranges discard their buffered logs. */
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

/** The message may contain the provider's API key, so only the class name is logged. */
function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : typeof error
}
