/** Everything of a list, asked for page by page as it is read. */
export type Listing<Item> = AsyncIterable<Item> & {
  /** All of it at once. */
  all(): Promise<Item[]>
}

/** @param pages asked for anew by each who reads */
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
