/** A list whose pages are fetched lazily during iteration. */
export type Listing<Item> = AsyncIterable<Item> & {
  /** Fetches all pages, and returns their items. */
  all(): Promise<Item[]>
}

/** Creates a list. @param pages called once for each iteration over the list */
export function listing<Item>(pages: () => AsyncIterable<readonly Item[]>): Listing<Item> {
  async function* items(): AsyncGenerator<Item, void, undefined> {
    for await (const page of pages()) yield* page
  }
  const all = async () => {
    const read: Item[] = []
    for await (const item of items()) read.push(item)
    return read
  }
  return { [Symbol.asyncIterator]: items, all }
}
