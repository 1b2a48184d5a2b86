import type { RequestLimiter } from '../../../shared/rpc/endpoint.ts'
import type { ReadPriority } from '../../../shared/rpc/endpoint-condition.ts'

/** Maximum number of open connections. A Durable Object in production cannot have more at the same time. */
const CONNECTIONS_MAX = 6
/** Maximum number of connections for backfill requests. The remaining two are reserved for live requests. */
const BACKFILL_CONNECTIONS_MAX = 4

/** Live requests take precedence. Requests of the same priority are sent in order of arrival. */
export class Connections implements RequestLimiter {
  readonly #open: Record<ReadPriority, number> = { live: 0, backfill: 0 }
  readonly #waiting: Record<ReadPriority, (() => void)[]> = { live: [], backfill: [] }

  async run<T>(priority: ReadPriority, work: () => Promise<T>): Promise<T> {
    if (this.#hasRoom(priority)) this.#open[priority]++
    else await new Promise<void>((go) => this.#waiting[priority].push(go))
    try {
      return await work()
    } finally {
      this.#open[priority]--
      this.#startWaiting()
    }
  }

  #hasRoom(priority: ReadPriority): boolean {
    const { live, backfill } = this.#open
    if (live + backfill >= CONNECTIONS_MAX) return false
    return priority === 'live' || backfill < BACKFILL_CONNECTIONS_MAX
  }

  #startWaiting(): void {
    for (const priority of ['live', 'backfill'] as const) {
      while (this.#waiting[priority].length > 0 && this.#hasRoom(priority)) {
        this.#open[priority]++
        this.#waiting[priority].shift()!()
      }
    }
  }
}
