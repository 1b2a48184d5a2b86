/** Reads at most `count` items of a list, without fetching later pages. */
export async function firstOf<Item>(items: AsyncIterable<Item>, count: number): Promise<Item[]> {
  const read: Item[] = []
  if (count < 1) return read
  for await (const item of items) if (read.push(item) >= count) break
  return read
}
