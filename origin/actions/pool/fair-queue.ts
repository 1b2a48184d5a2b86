/** What waits: for whom, and the bytes that it holds in memory meanwhile. */
export type Queued = { account: string; bytes: number }

export type QueueBounds = { count: number; bytes: number }

/**
 * Runs that wait for an executor: a line for each account, served in turn, so that nobody stands behind another's
 * backlog. Of the room that is left an account may have as much as it already holds: one alone fills at most half. Many
 * may fill it all; who has nothing here then takes the last place of the longest line.
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

  /** For who has nothing here, others that have more give some up. */
  canMakeRoom({ account, bytes }: Queued): boolean {
    if (this.#lines.has(account) || bytes > this.#bounds.bytes) return false
    return this.#longest(bytes) !== undefined
  }

  /** @returns what was last in the longest lines, which is not in line any more */
  makeRoom(item: Queued): Item[] {
    const given: Item[] = []
    while (!this.hasRoom(item) && !this.#lines.has(item.account)) {
      const last = this.#longest(item.bytes)?.items.at(-1)
      if (last === undefined || !this.remove(last)) break
      given.push(last)
    }
    return given
  }

  /** By what is short: the line with the most items of several, or with more bytes than are wanted. */
  #longest(bytes: number): Line<Item> | undefined {
    const byBytes = this.#count < this.#bounds.count
    let longest: Line<Item> | undefined
    for (const line of this.#lines.values()) {
      const isMore = byBytes ? line.bytes > bytes : line.items.length > 1
      const size = (of: Line<Item>) => (byBytes ? of.bytes : of.items.length)
      if (isMore && (longest === undefined || size(line) > size(longest))) longest = line
    }
    return longest
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
