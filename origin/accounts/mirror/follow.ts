import type { Branch } from './branch.ts'
import { BranchGone, catchUp } from './catch-up.ts'
import { type ChainReader, type Header, type LoggedEvent, UnusableAnswer } from './chain-reader.ts'

/**
 * Maximum gap, in addition to the finality depth, in which headers are read one by one. In a larger gap, all blocks but
 * the last are final.
 */
const LINKED_MAX = 128

/** Data prefetched for a block that a write's receipt says should exist. */
type Ahead = { headers: Header[]; events: LoggedEvent[] }

/**
 * Performs one poll: brings the branch to the chain's head, or leaves it unchanged.
 *
 * - Each block's parent hash must match the block before it, down to a block of the branch.
 * - A head below the branch's tip is ignored: the node lags, or its branch is not the longest yet.
 * - After a reorganization, the new blocks are applied together, once all of them have been read.
 *
 * @param expected a block that the chain should have by now
 * @returns false if the head is below the tip, so the state is no fresher than before
 * @throws {BranchGone} if the branch cannot be brought to the head and must be read again
 */
export async function follow(
  branch: Branch,
  reader: ChainReader,
  finality: number,
  expected?: number,
): Promise<boolean> {
  const { tip } = branch
  const [head, ahead] = await Promise.all([reader.head(), readAhead(reader, tip.number, expected)])
  if (head.number < tip.number) return false
  if (head.number === tip.number && head.hash === tip.hash) return true

  if (head.number - tip.number > LINKED_MAX + finality) {
    await requireTip(branch, reader)
    await catchUp(branch, reader, head.number - finality)
    return follow(branch, reader, finality)
  }
  const { ancestor, headers } = await descend(branch, reader, head, ahead?.headers ?? [])
  const events = await Promise.all(headers.map((block) => eventsIn(block, reader, ahead)))
  branch.switchTo(
    ancestor,
    headers.map((block, n) => ({ block, events: events[n]! })),
  )
  return true
}

/** Prefetches blocks and events up to the expected block in the same batch as the head. A failure is ignored. */
async function readAhead(
  reader: ChainReader,
  tip: number,
  expected = tip,
): Promise<Ahead | undefined> {
  if (expected <= tip || expected - tip > LINKED_MAX) return undefined
  const [headers, events] = await Promise.allSettled([
    reader.headers(tip + 1, expected),
    reader.eventsIn(tip + 1, expected),
  ])
  return headers.status === 'fulfilled' && events.status === 'fulfilled'
    ? { headers: headers.value, events: events.value }
    : undefined
}

/** Returns the linked headers from a block of the branch (exclusive) up to the head, in ascending order. */
async function descend(
  branch: Branch,
  reader: ChainReader,
  head: Header,
  known: readonly Header[],
): Promise<{ ancestor: number; headers: Header[] }> {
  const { tip, base } = branch
  const above = await between(reader, tip.number, head, known)
  const parent = above[0]?.parentHash
  if (parent !== undefined && (tip.hash === undefined || parent === tip.hash))
    return { ancestor: tip.number, headers: linked(above) }

  // Reorganization: read all blocks that can be undone, in one batch, to find the common ancestor.
  const below = await reader.headers(base.number + 1, Math.min(tip.number, head.number - 1))
  const headers = linked([...below, ...(above.length > 0 ? above : [head])])
  for (let n = headers.length - 1; n >= 0; n--) {
    const before = headers[n]!.number - 1
    const hash = branch.hashAt(before)
    const isDeployment = before === base.number && base.hash === undefined
    if (isDeployment || hash === headers[n]!.parentHash)
      return { ancestor: before, headers: headers.slice(n) }
  }
  throw new BranchGone()
}

/** Returns the headers above the tip, including the head. */
async function between(
  reader: ChainReader,
  tip: number,
  head: Header,
  known: readonly Header[],
): Promise<Header[]> {
  if (head.number <= tip) return []
  const usable = known.filter(({ number }) => number < head.number)
  const rest = await reader.headers(tip + usable.length + 1, head.number - 1)
  return [...usable, ...rest, head]
}

function linked(headers: Header[]): Header[] {
  for (const [n, header] of headers.entries()) {
    const before = headers[n - 1]
    if (before && header.parentHash !== before.hash)
      throw new UnusableAnswer('the chain gave blocks that do not follow each other')
  }
  return headers
}

/** Returns a block's events: empty if the bloom excludes them, prefetched if they belong to this exact block. */
async function eventsIn(
  block: Header,
  reader: ChainReader,
  ahead: Ahead | undefined,
): Promise<LoggedEvent[]> {
  if (!reader.mayHoldLogs(block)) return []
  const found = ahead?.events.filter((event) => event.block.hash === block.hash) ?? []
  return found.length > 0 ? found : reader.eventsOf(block)
}

/** Checks that the tip is still canonical, because the range is appended to it. */
async function requireTip(branch: Branch, reader: ChainReader): Promise<void> {
  const { tip } = branch
  if (tip.hash === undefined || (await reader.header(tip.number)).hash === tip.hash) return
  throw new BranchGone()
}
