/** Parsing time allowed per two iterations of the event loop, in milliseconds. */
const TURN_MS = 1.5

/** Upper limits of the priority levels, by recent cost in milliseconds. Connections with a lower cost go first. */
const LEVELS_MS = [1, 4, 16, 64, Number.POSITIVE_INFINITY]

export type SchedulableConnection = {
  readonly isTrusted: boolean
  /** Decaying sum of the connection's recent parsing cost, in milliseconds. */
  readonly recentMs: number
  readonly isReady: boolean
  /** @returns the cost in milliseconds */
  parseSlice(): number
}

/** Queue of connections in which the cheapest goes first (least attained service). */
class CostQueue {
  spentMs = 0
  readonly #levels = LEVELS_MS.map(() => new Set<SchedulableConnection>())

  add(connection: SchedulableConnection): void {
    if (this.#levels.some((waiting) => waiting.has(connection))) return
    this.#levels[LEVELS_MS.findIndex((bound) => connection.recentMs < bound)]!.add(connection)
  }

  take(): SchedulableConnection | undefined {
    for (const waiting of this.#levels)
      for (const connection of waiting) {
        waiting.delete(connection)
        if (connection.isReady) return connection
      }
    return undefined
  }
}

/**
 * Shares the event loop's time between parsing and other work, and among connections. Trusted connections get half of
 * the parsing time. Within each half, cheap connections go first, so that a flood delays the others by only a few
 * milliseconds.
 */
export class ParseScheduler {
  readonly #trusted = new CostQueue()
  readonly #untrusted = new CostQueue()
  #leftMs = TURN_MS
  #isRunning = false
  #isRefilling = false

  schedule(connection: SchedulableConnection): void {
    if (!connection.isReady) return
    this.#queueOf(connection).add(connection)
    if (this.#isRunning || this.#leftMs <= 0) return
    this.#isRunning = true
    // Run later: data pushed within a stream's `_read` would be parsed when the cost of parsing is not measured.
    process.nextTick(() => this.#run())
  }

  #run(): void {
    this.#isRunning = false
    let before = performance.now()
    while (this.#leftMs > 0) {
      const connection = this.#take()
      if (!connection) break
      const parsing = connection.parseSlice()
      const now = performance.now()
      // The cost includes the overhead of scheduling, which dominates for tiny slices.
      const cost = Math.max(parsing, now - before)
      before = now
      this.#leftMs -= cost
      this.#queueOf(connection).spentMs += cost
      this.schedule(connection)
    }
    this.#refillLater()
  }

  #take(): SchedulableConnection | undefined {
    if (this.#trusted.spentMs <= this.#untrusted.spentMs)
      return this.#trusted.take() ?? this.#untrusted.take()
    return this.#untrusted.take() ?? this.#trusted.take()
  }

  #queueOf({ isTrusted }: SchedulableConnection): CostQueue {
    return isTrusted ? this.#trusted : this.#untrusted
  }

  #refillLater(): void {
    if (this.#isRefilling || this.#leftMs === TURN_MS) return
    this.#isRefilling = true
    setImmediate(() =>
      setImmediate(() => {
        this.#isRefilling = false
        // Excess time used in one turn is deducted from the next turn.
        this.#leftMs = Math.min(TURN_MS, this.#leftMs + TURN_MS)
        this.#trusted.spentMs = 0
        this.#untrusted.spentMs = 0
        this.#run()
      }),
    )
  }
}
