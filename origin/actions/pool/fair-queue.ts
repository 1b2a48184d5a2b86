/** What waits: for whom, and the bytes that it holds in memory meanwhile. */
export type Queued = { account: string; bytes: number }

export type QueueBounds = { count: number; bytes: number }

/**
 * Runs that wait for an executor: a line for each account, served in turn, so that nobody stands behind another's
 * backlog. Of the room that is left an account may have as much as it already holds: one alone fills at most half,
 * and there is always some for who has nothing here.
 */
export class FairQueue<Item extends Queued> {
  readonly #bounds: QueueBounds
  /** In the order of their turns. No line is empty. */
  readonly #lines = new Map<string, Line<Item>>()
  #count = 0
  #bytes = 0

  constructor(bounds: QueueBounds) {
    this.#bounds = bounds
  }

  get count(): number {
    return this.#count
  }

  countOf(account: string): number {
    return this.#lines.get(account)?.items.length ?? 0
  }

  hasRoom({ account, bytes }: Queued): boolean {
    const line = this.#lines.get(account)
    const left = {
      count: this.#bounds.count - this.#count,
      bytes: this.#bounds.bytes - this.#bytes,
    }
    return (line?.items.length ?? 0) < left.count && (line?.bytes ?? 0) + bytes <= left.bytes
  }

  /** Only where there is room. */
  add(item: Item): void {
    const line = this.#lines.get(item.account) ?? { items: [], bytes: 0 }
    this.#lines.set(item.account, line)
    line.items.push(item)
    this.#account(line, item.bytes, 1)
  }

  /** The first item of the next account that may; its account is then the last in turn. */
  take(may: (account: string) => boolean): Item | undefined {
    for (const [account, line] of this.#lines) {
      if (!may(account)) continue
      const item = line.items.shift()
      if (item === undefined) continue
      this.#lines.delete(account)
      if (line.items.length > 0) this.#lines.set(account, line)
      this.#account(line, -item.bytes, -1)
      return item
    }
    return undefined
  }

  has(item: Item): boolean {
    return this.#lines.get(item.account)?.items.includes(item) ?? false
  }

  /** @returns false when it does not wait any more */
  remove(item: Item): boolean {
    const line = this.#lines.get(item.account)
    const at = line?.items.indexOf(item) ?? -1
    if (line === undefined || at < 0) return false
    line.items.splice(at, 1)
    if (line.items.length === 0) this.#lines.delete(item.account)
    this.#account(line, -item.bytes, -1)
    return true
  }

  clear(): Item[] {
    const items = [...this.#lines.values()].flatMap((line) => line.items)
    this.#lines.clear()
    this.#count = 0
    this.#bytes = 0
    return items
  }

  /** How many wait of each account, in the order of their turns. */
  *counts(): Iterable<{ account: string; count: number }> {
    for (const [account, { items }] of this.#lines) yield { account, count: items.length }
  }

  #account(line: Line<Item>, bytes: number, count: number): void {
    line.bytes += bytes
    this.#bytes += bytes
    this.#count += count
  }
}

type Line<Item> = { items: Item[]; bytes: number }
