import type { Branch } from './branch.ts'
import { DeepReorgError, catchUp } from './catch-up.ts'
import {
  type AccountConfigReader,
  type ChainHeader,
  type LoggedEvent,
  UnusableResponseError,
} from './account-config-reader.ts'

/**
 * Maximum distance from the head, in addition to the finality depth, at which the header of each block is read. If the
 * head is farther away, the branch first catches up to a final block in ranges.
 */
const HEADERS_MAX = 128

type Prefetched = { headers: ChainHeader[]; events: LoggedEvent[] }

/**
 * Advances the branch to the head of the chain, or leaves it unchanged.
 *
 * - The parent hash of each block must match the block before it, down to a block of the branch.
 * - A head below the branch's tip is ignored. Either the node lags, or its branch is not the longest yet.
 * - After a reorganization, the new blocks are applied together once all of them have been read.
 *
 * @param expected number of a block that should exist by now
 * @returns false if the head is below the branch's tip, so that the state is no newer than before
 * @throws {DeepReorgError} if the branch cannot be advanced to the head and must be rebuilt
 */
export async function followHead(
  branch: Branch,
  reader: AccountConfigReader,
  finality: number,
  expected?: number,
): Promise<boolean> {
  const { tip } = branch
  const [head, ahead] = await Promise.all([reader.head(), prefetch(reader, tip.number, expected)])
  if (head.number < tip.number) return false
  if (head.number === tip.number && head.hash === tip.hash) return true

  if (head.number - tip.number > HEADERS_MAX + finality) {
    await requireTip(branch, reader)
    await catchUp(branch, reader, head.number - finality)
    return followHead(branch, reader, finality)
  }
  const { ancestor, headers } = await findAncestor(branch, reader, head, ahead?.headers ?? [])
  const events = await Promise.all(headers.map((block) => blockEvents(block, reader, ahead)))
  branch.switchTo(
    ancestor,
    headers.map((block, n) => ({ block, events: events[n]! })),
  )
  return true
}

/** Runs in the same batch as the request for the head. Failures are ignored. */
async function prefetch(
  reader: AccountConfigReader,
  tip: number,
  expected = tip,
): Promise<Prefetched | undefined> {
  if (expected <= tip || expected - tip > HEADERS_MAX) return undefined
  const [headers, events] = await Promise.allSettled([
    reader.headers(tip + 1, expected),
    reader.eventsIn(tip + 1, expected),
  ])
  return headers.status === 'fulfilled' && events.status === 'fulfilled'
    ? { headers: headers.value, events: events.value }
    : undefined
}

/** Returns the headers after the ancestor in ascending order, each checked to be the parent of the next. */
async function findAncestor(
  branch: Branch,
  reader: AccountConfigReader,
  head: ChainHeader,
  known: readonly ChainHeader[],
): Promise<{ ancestor: number; headers: ChainHeader[] }> {
  const { tip, base } = branch
  const above = await headersBetween(reader, tip.number, head, known)
  const parent = above[0]?.parentHash
  if (parent !== undefined && (tip.hash === undefined || parent === tip.hash))
    return { ancestor: tip.number, headers: requireLinked(above) }

  // The branch's tip was reorganized away.
  const below = await reader.headers(base.number + 1, Math.min(tip.number, head.number - 1))
  const headers = requireLinked([...below, ...(above.length > 0 ? above : [head])])
  for (let n = headers.length - 1; n >= 0; n--) {
    const before = headers[n]!.number - 1
    const hash = branch.hashAt(before)
    const isDeployment = before === base.number && base.hash === undefined
    if (isDeployment || hash === headers[n]!.parentHash)
      return { ancestor: before, headers: headers.slice(n) }
  }
  throw new DeepReorgError()
}

async function headersBetween(
  reader: AccountConfigReader,
  tip: number,
  head: ChainHeader,
  known: readonly ChainHeader[],
): Promise<ChainHeader[]> {
  if (head.number <= tip) return []
  const usable = known.filter(({ number }) => number < head.number)
  const rest = await reader.headers(tip + usable.length + 1, head.number - 1)
  return [...usable, ...rest, head]
}

function requireLinked(headers: ChainHeader[]): ChainHeader[] {
  for (const [n, header] of headers.entries()) {
    const before = headers[n - 1]
    if (before && header.parentHash !== before.hash)
      throw new UnusableResponseError('the node returned blocks that are not consecutive')
  }
  return headers
}

/** Makes no request if the bloom filter rules out events, or if events of exactly this block were prefetched. */
async function blockEvents(
  block: ChainHeader,
  reader: AccountConfigReader,
  ahead: Prefetched | undefined,
): Promise<LoggedEvent[]> {
  if (!reader.mayContainLogs(block)) return []
  const found = ahead?.events.filter((event) => event.block.hash === block.hash) ?? []
  return found.length > 0 ? found : reader.eventsOf(block)
}

/** Checks that the tip is still canonical, because the next range of blocks is appended to the tip. */
async function requireTip(branch: Branch, reader: AccountConfigReader): Promise<void> {
  const { tip } = branch
  if (tip.hash === undefined || (await reader.header(tip.number)).hash === tip.hash) return
  throw new DeepReorgError()
}
