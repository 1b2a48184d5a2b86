/** `bytes` is the memory that the item occupies. */
type QueueItem = { account: string; bytes: number }

type QueueLimits = { count: number; bytes: number }

/**
 * Fair queue of the runs that wait for an executor. Each account has its own line, and the lines are served
 * round-robin, so that no account waits behind another's backlog. An account may add an item only if its line is
 * shorter than the remaining capacity, so that a single account fills at most half of the queue. Many accounts together
 * may fill the whole queue. If the queue is full, an account without a line displaces the last item of the longest
 * line.
 */
export class FairQueue<Item extends QueueItem> {
  readonly #limits: QueueLimits
  /** Lines by account, in the order in which they are served. Empty lines are removed. */
  readonly #lines = new Map<string, Line<Item>>()
  #count = 0
  #bytes = 0

  constructor(bounds: QueueLimits) {
    this.#limits = bounds
  }

  get count(): number {
    return this.#count
  }

  countOf(account: string): number {
    return this.#lines.get(account)?.items.length ?? 0
  }

  hasRoom({ account, bytes }: QueueItem): boolean {
    const line = this.#lines.get(account)
    const left = {
      count: this.#limits.count - this.#count,
      bytes: this.#limits.bytes - this.#bytes,
    }
    return (line?.items.length ?? 0) < left.count && (line?.bytes ?? 0) + bytes <= left.bytes
  }

  /** True if items of longer lines can be displaced to make room for an account that has no line. */
  canDisplace({ account, bytes }: QueueItem): boolean {
    if (this.#lines.has(account) || bytes > this.#limits.bytes) return false
    return this.#longest(bytes) !== undefined
  }

  /**
   * Makes room in the queue for an account that has no line. Returns the items displaced from the ends of the longest
   * lines.
   */
  displace(item: QueueItem): Item[] {
    const displaced: Item[] = []
    while (!this.hasRoom(item) && !this.#lines.has(item.account)) {
      const last = this.#longest(item.bytes)?.items.at(-1)
      if (last === undefined || !this.remove(last)) break
      displaced.push(last)
    }
    return displaced
  }

  /**
   * Returns the line that uses most of the exhausted resource. If the queue is full by count, this is the line with the
   * most items, provided that it has more than one item. If the queue is full by bytes, this is the line with the most
   * bytes, provided that it has more than `bytes`.
   */
  #longest(bytes: number): Line<Item> | undefined {
    const byBytes = this.#count < this.#limits.count
    let longest: Line<Item> | undefined
    for (const line of this.#lines.values()) {
      const isMore = byBytes ? line.bytes > bytes : line.items.length > 1
      const size = (of: Line<Item>) => (byBytes ? of.bytes : of.items.length)
      if (isMore && (longest === undefined || size(line) > size(longest))) longest = line
    }
    return longest
  }

  /** Must be called only if `hasRoom` returns true. */
  add(item: Item): void {
    const line = this.#lines.get(item.account) ?? { items: [], bytes: 0 }
    this.#lines.set(item.account, line)
    line.items.push(item)
    this.#adjustTotals(line, item.bytes, 1)
  }

  /**
   * Removes and returns the first item of the next account that `may` accepts. The account moves to the end of the
   * order.
   */
  take(may: (account: string) => boolean): Item | undefined {
    for (const [account, line] of this.#lines) {
      if (!may(account)) continue
      const item = line.items.shift()
      if (item === undefined) continue
      this.#lines.delete(account)
      if (line.items.length > 0) this.#lines.set(account, line)
      this.#adjustTotals(line, -item.bytes, -1)
      return item
    }
    return undefined
  }

  has(item: Item): boolean {
    return this.#lines.get(item.account)?.items.includes(item) ?? false
  }

  /** Returns false if the item is no longer queued. */
  remove(item: Item): boolean {
    const line = this.#lines.get(item.account)
    const at = line?.items.indexOf(item) ?? -1
    if (line === undefined || at < 0) return false
    line.items.splice(at, 1)
    if (line.items.length === 0) this.#lines.delete(item.account)
    this.#adjustTotals(line, -item.bytes, -1)
    return true
  }

  clear(): Item[] {
    const items = [...this.#lines.values()].flatMap((line) => line.items)
    this.#lines.clear()
    this.#count = 0
    this.#bytes = 0
    return items
  }

  /** Lists the number of queued items per account, in the order in which the accounts are served. */
  *counts(): Iterable<{ account: string; count: number }> {
    for (const [account, { items }] of this.#lines) yield { account, count: items.length }
  }

  #adjustTotals(line: Line<Item>, bytes: number, count: number): void {
    line.bytes += bytes
    this.#bytes += bytes
    this.#count += count
  }
}

type Line<Item> = { items: Item[]; bytes: number }
