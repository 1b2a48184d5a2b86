import { DAY_MS } from '../../shared/durations.ts'
import type { ClientMetadata, FetchedMetadata } from './client-metadata.ts'

/** Maximum number of documents per isolate, of at most 16 KB each. */
const ENTRIES_MAX = 200

type Entry = { client: ClientMetadata; expiresAt: number }

/** Documents of clients, for as long as their `Cache-Control` allows, but at most a day. Failures are not cached. */
export class ClientCache {
  readonly #entries = new Map<string, Entry>()

  async get(
    clientId: string,
    now: number,
    fetchMetadata: () => Promise<FetchedMetadata>,
  ): Promise<ClientMetadata> {
    const cached = this.#entries.get(clientId)
    if (cached && cached.expiresAt > now) return cached.client
    const { client, maxAgeS } = await fetchMetadata()
    this.#entries.delete(clientId)
    if (maxAgeS > 0) {
      this.#entries.set(clientId, { client, expiresAt: now + Math.min(maxAgeS * 1000, DAY_MS) })
      const [oldest] = this.#entries.keys()
      if (this.#entries.size > ENTRIES_MAX) this.#entries.delete(oldest!)
    }
    return client
  }
}
