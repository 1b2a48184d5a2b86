import type { Branch } from './branch.ts'
import { BranchGone, catchUp } from './catch-up.ts'
import { type ChainReader, type Header, type LoggedEvent, UnusableAnswer } from './chain-reader.ts'

/** Farther than this the headers between are not read one by one: the stretch is final but for its end. */
const LINKED_MAX = 128

/** What may be asked for before it is known whether it is there: a write's receipt says that it should be. */
type Ahead = { headers: Header[]; events: LoggedEvent[] }

/**
 * One look: brings the branch to the chain's head, or leaves it as it is.
 *
 * - Each block has to name the one before it as its parent, down to a block of the branch.
 * - A head below the branch's tip says nothing: a node that lags, or a branch that has not become the longest.
 * - Another branch is taken as a whole, when all of it has been read.
 *
 * @param expected a block that the chain should have by now
 * @returns false where the head was lower than the tip: the state is no fresher than before
 * @throws {BranchGone} where the branch can not be brought to the head: it has to be read anew
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

/** Blocks and events up to the one expected, in the same request as the head; a failure costs nothing. */
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

/** The headers from the head down to a block of the branch, in ascending order, each linked to the one before. */
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

  // Another branch: everything that can be undone is compared, in one request.
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

/** Headers above the tip, the head's included. */
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

/** A block's events: none where its bloom says so, those read ahead where they are of this very block. */
async function eventsIn(
  block: Header,
  reader: ChainReader,
  ahead: Ahead | undefined,
): Promise<LoggedEvent[]> {
  if (!reader.mayHoldLogs(block)) return []
  const found = ahead?.events.filter((event) => event.block.hash === block.hash) ?? []
  return found.length > 0 ? found : reader.eventsOf(block)
}

/** A stretch is appended to the tip, so that one has to be the chain's own. */
async function requireTip(branch: Branch, reader: ChainReader): Promise<void> {
  const { tip } = branch
  if (tip.hash === undefined || (await reader.header(tip.number)).hash === tip.hash) return
  throw new BranchGone()
}
