import type { ReadLane } from './chain-reader.ts'

/** In production, a Durable Object cannot have more open connections at the same time. */
const CONNECTIONS_MAX = 6
/** Leaves room for two live requests. */
const BACKFILL_CONNECTIONS_MAX = 4

/** Connection pool of one chain. Live requests take precedence; otherwise, requests are sent in order of arrival. */
export class Connections {
  readonly #open: Record<ReadLane, number> = { live: 0, backfill: 0 }
  readonly #waiting: Record<ReadLane, (() => void)[]> = { live: [], backfill: [] }

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
