/** Parsing budget per two turns of the event loop, in milliseconds. */
const TURN_MS = 1.5

/** Priority levels by recent cost, in milliseconds: cheaper connections go first. */
const LEVELS_MS = [1, 4, 16, 64, Number.POSITIVE_INFINITY]

export type Parsed = {
  readonly isTrusted: boolean
  /** Decaying sum of the connection's recent cost, in milliseconds. */
  readonly recentMs: number
  /** True if there are bytes that may be parsed now. */
  readonly isReady: boolean
  /** Parses some bytes. @returns the cost in milliseconds */
  parseSome(): number
}

/** Waiting connections, cheapest first (least attained service). */
class Queue {
  spentMs = 0
  readonly #levels = LEVELS_MS.map(() => new Set<Parsed>())

  add(connection: Parsed): void {
    if (this.#levels.some((waiting) => waiting.has(connection))) return
    this.#levels[LEVELS_MS.findIndex((bound) => connection.recentMs < bound)]!.add(connection)
  }

  take(): Parsed | undefined {
    for (const waiting of this.#levels)
      for (const connection of waiting) {
        waiting.delete(connection)
        if (connection.isReady) return connection
      }
    return undefined
  }
}

/**
 * Shares the event loop between request parsing and other work, and between connections. Trusted connections get half
 * of the parsing time, and within each half cheap ones go first, so that a flood delays others by only a few
 * milliseconds.
 */
export class ParseTurns {
  readonly #trusted = new Queue()
  readonly #untrusted = new Queue()
  #leftMs = TURN_MS
  #isRunning = false
  #isRefilling = false

  /** Parses the connection's bytes, now or in a later turn. */
  schedule(connection: Parsed): void {
    if (!connection.isReady) return
    this.#queueOf(connection).add(connection)
    if (this.#isRunning || this.#leftMs <= 0) return
    this.#isRunning = true
    // Not synchronously: within a stream's `_read`, pushed data would be parsed later, outside of the measurement.
    process.nextTick(() => this.#run())
  }

  #run(): void {
    this.#isRunning = false
    let before = performance.now()
    while (this.#leftMs > 0) {
      const connection = this.#take()
      if (!connection) break
      const parsing = connection.parseSome()
      const now = performance.now()
      // Includes the overhead of scheduling, which dominates for tiny slices.
      const cost = Math.max(parsing, now - before)
      before = now
      this.#leftMs -= cost
      this.#queueOf(connection).spentMs += cost
      this.schedule(connection)
    }
    this.#refillLater()
  }

  /** Takes from the queue that has used less of this turn. */
  #take(): Parsed | undefined {
    if (this.#trusted.spentMs <= this.#untrusted.spentMs)
      return this.#trusted.take() ?? this.#untrusted.take()
    return this.#untrusted.take() ?? this.#trusted.take()
  }

  #queueOf({ isTrusted }: Parsed): Queue {
    return isTrusted ? this.#trusted : this.#untrusted
  }

  #refillLater(): void {
    if (this.#isRefilling || this.#leftMs === TURN_MS) return
    this.#isRefilling = true
    setImmediate(() =>
      setImmediate(() => {
        this.#isRefilling = false
        // Overspending is carried over.
        this.#leftMs = Math.min(TURN_MS, this.#leftMs + TURN_MS)
        this.#trusted.spentMs = 0
        this.#untrusted.spentMs = 0
        this.#run()
      }),
    )
  }
}
