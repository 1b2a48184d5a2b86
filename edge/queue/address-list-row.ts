import type { QueueDatabase } from './run-store.ts'
import * as schema from './schema.ts'

/**
 * The list of addresses in a trigger's config, which is stored apart from the trigger's row. Callers see configs with
 * their lists.
 */
export class AddressListRow {
  readonly #db: QueueDatabase
  #json: string | undefined

  constructor(db: QueueDatabase) {
    this.#db = db
  }

  load(): void {
    this.#json = this.#db.select().from(schema.addressList).get()?.addresses
  }

  /** Returns the config to store in the trigger's row, as JSON. Must be called in a transaction. */
  detach(config: Record<string, unknown>): string {
    const { addresses, ...rest } = config
    const json = Array.isArray(addresses) ? JSON.stringify(addresses) : undefined
    if (json !== this.#json) {
      this.#db.delete(schema.addressList).run()
      if (json !== undefined)
        this.#db.insert(schema.addressList).values({ id: 1, addresses: json }).run()
      this.#json = json
    }
    return JSON.stringify(json === undefined ? config : rest)
  }

  /** @param stored the config of the trigger's row */
  attach(stored: string): string {
    if (this.#json === undefined) return stored
    return `{"addresses":${this.#json},${stored.slice(1)}`
  }
}
