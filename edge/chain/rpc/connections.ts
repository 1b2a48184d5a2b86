import type { ReadLane } from './chain-reader.ts'

/** Maximum number of open connections. In production, a Durable Object cannot have more at the same time. */
const CONNECTIONS_MAX = 6
/** Maximum number of connections for backfills, which leaves room for two live requests. */
const BACKFILL_CONNECTIONS_MAX = 4

/**
 * Connection pool of one chain. Live requests take precedence over backfill requests. Requests of the same kind are
 * sent in the order in which they arrive.
 */
export class Connections {
  readonly #open: Record<ReadLane, number> = { live: 0, backfill: 0 }
  readonly #waiting: Record<ReadLane, (() => void)[]> = { live: [], backfill: [] }

  /** Runs `work` once a connection is free, and holds the connection until `work` settles. */
  async run<T>(lane: ReadLane, work: () => Promise<T>): Promise<T> {
    if (this.#hasRoom(lane)) this.#open[lane]++
    else await new Promise<void>((go) => this.#waiting[lane].push(go))
    try {
      return await work()
    } finally {
      this.#open[lane]--
      this.#letIn()
    }
  }

  #hasRoom(lane: ReadLane): boolean {
    const { live, backfill } = this.#open
    if (live + backfill >= CONNECTIONS_MAX) return false
    return lane === 'live' || backfill < BACKFILL_CONNECTIONS_MAX
  }

  #letIn(): void {
    for (const lane of ['live', 'backfill'] as const) {
      while (this.#waiting[lane].length > 0 && this.#hasRoom(lane)) {
        this.#open[lane]++
        this.#waiting[lane].shift()!()
      }
    }
  }
}
