import type { ReadLane } from './chain-reader.ts'

/** What production lets one object have open at once. */
const CONNECTIONS_MAX = 6
/** So that a live question always has room for two. */
const BACKFILL_CONNECTIONS_MAX = 4

/** The connections of one chain: who waits is live first, then in order. */
export class Connections {
  readonly #open: Record<ReadLane, number> = { live: 0, backfill: 0 }
  readonly #waiting: Record<ReadLane, (() => void)[]> = { live: [], backfill: [] }

  /** Runs `work` once there is room, which it has until it ends. */
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
