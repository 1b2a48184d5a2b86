import type { BlockHeader } from '../../../shared/rpc/block-header.ts'
import { NodeLaggingError } from '../../../shared/rpc/chain-read-errors.ts'
import type { AccountConfigReader, LoggedEvent } from './account-config-reader.ts'
import type { AgreedReads } from './agreed-reads.ts'
import type { Branch, BranchView } from './branch.ts'
import { DeepReorgError, catchUp } from './catch-up.ts'

/**
 * Maximum distance from the head, in addition to the finality depth, at which the header of each block is read. If the
 * head is farther away, the branch first catches up to a final block in ranges.
 */
const HEADERS_MAX = 128

type Prefetched = { headers: BlockHeader[]; events: LoggedEvent[] }

type NodeView = { head: BlockHeader; ahead: Prefetched | undefined }

type BranchUpdate = {
  top: BlockHeader
  /** Undefined if the branch cannot be advanced to `top` and must be rebuilt. */
  blocks: { ancestor: number; headers: BlockHeader[]; events: LoggedEvent[][] } | undefined
}

/**
 * Advances the branch to the highest block that a quorum of the nodes has, or leaves it unchanged. Each node is read
 * separately, and the same update must result from a quorum of them.
 *
 * - The parent hash of each block must match the block before it, down to a block of the branch.
 * - A head below the branch's tip is ignored. Either the nodes lag, or their branch is not the longest yet.
 * - After a reorganization, the new blocks are applied together once all of them have been read.
 *
 * @param expected number of a block that should exist by now
 * @returns false if the state is not fresh: the head is below the branch's tip, or too few nodes are near it
 * @throws {DeepReorgError} if the branch cannot be advanced to the head and must be rebuilt
 */
export async function followHead(
  branch: Branch,
  reads: AgreedReads,
  finality: number,
  expected?: number,
): Promise<boolean> {
  const known = branch.view
  const { tip } = known
  const { height, views } = await reads.reached(async (reader): Promise<NodeView> => {
    const [head, ahead] = await Promise.all([reader.head(), prefetch(reader, tip.number, expected)])
    return { head, ahead }
  })
  if (height < tip.number) return false

  if (height - tip.number > HEADERS_MAX + finality) {
    await catchUp(branch, reads, height - finality)
    return followHead(branch, reads, finality)
  }
  const { top, blocks } = await reads.agree({
    among: [...views.keys()],
    read: (reader, node) => readUpdate(known, height, views.get(node)!, reader, reads),
    keyOf: updateKey,
    subjectOf: (one, other) => (one.top.hash === other.top.hash ? 'contents' : 'block'),
  })
  if (!blocks) throw new DeepReorgError()
  branch.switchTo(
    blocks.ancestor,
    blocks.headers.map((block, n) => ({ block, events: blocks.events[n]! })),
    top.timestamp,
  )
  const heads = [...views.values()].map(({ head }) => head)
  return reads.isRecent(top, heads)
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

async function readUpdate(
  known: BranchView,
  height: number,
  { head, ahead }: NodeView,
  reader: AccountConfigReader,
  reads: AgreedReads,
): Promise<BranchUpdate> {
  const { tip } = known
  const top = head.number === height ? head : await reader.header(height)
  if (top.number === tip.number && top.hash === tip.hash)
    return { top, blocks: { ancestor: tip.number, headers: [], events: [] } }
  const found = await findAncestor(known, reader, top, ahead?.headers ?? [])
  if (!found) return { top, blocks: undefined }
  const events = await Promise.all(
    found.headers.map((block) => blockEvents(block, reader, reads, ahead)),
  )
  return { top, blocks: { ...found, events } }
}

/** Contains everything that the update is made of, because a node may lie about any part of a block. */
function updateKey({ top, blocks }: BranchUpdate): string {
  const headers = blocks?.headers.map((block) => [
    block.number,
    block.hash,
    block.parentHash,
    block.logsBloom,
  ])
  const events = blocks?.events.map((ofBlock) => ofBlock.map(({ raw }) => raw))
  return JSON.stringify([top.hash, top.timestamp, blocks?.ancestor, headers, events])
}

/**
 * Returns the headers after the ancestor in ascending order, each checked to be the parent of the next. Returns
 * undefined if no block of the branch is an ancestor of the head.
 */
async function findAncestor(
  { tip, base, hashAt }: BranchView,
  reader: AccountConfigReader,
  head: BlockHeader,
  prefetched: readonly BlockHeader[],
): Promise<{ ancestor: number; headers: BlockHeader[] } | undefined> {
  const above = await headersBetween(reader, tip.number, head, prefetched)
  const parent = above[0]?.parentHash
  if (parent !== undefined && (tip.hash === undefined || parent === tip.hash))
    return { ancestor: tip.number, headers: requireLinked(above) }

  // The branch's tip was reorganized away.
  const below = await reader.headers(base.number + 1, Math.min(tip.number, head.number - 1))
  const headers = requireLinked([...below, ...(above.length > 0 ? above : [head])])
  for (let n = headers.length - 1; n >= 0; n--) {
    const before = headers[n]!.number - 1
    const hash = hashAt(before)
    const isDeployment = before === base.number && base.hash === undefined
    if (isDeployment || hash === headers[n]!.parentHash)
      return { ancestor: before, headers: headers.slice(n) }
  }
  return undefined
}

async function headersBetween(
  reader: AccountConfigReader,
  tip: number,
  head: BlockHeader,
  prefetched: readonly BlockHeader[],
): Promise<BlockHeader[]> {
  if (head.number <= tip) return []
  const usable = prefetched.filter(({ number }) => number < head.number)
  const rest = await reader.headers(tip + usable.length + 1, head.number - 1)
  return [...usable, ...rest, head]
}

function requireLinked(headers: BlockHeader[]): BlockHeader[] {
  for (const [n, header] of headers.entries()) {
    const before = headers[n - 1]
    if (before && header.parentHash !== before.hash)
      throw new NodeLaggingError('headers of two branches')
  }
  return headers
}

/** Makes no request if the bloom filter rules out events, or if events of exactly this block were prefetched. */
async function blockEvents(
  block: BlockHeader,
  reader: AccountConfigReader,
  reads: AgreedReads,
  ahead: Prefetched | undefined,
): Promise<LoggedEvent[]> {
  if (!reads.mayContainLogs(block)) return []
  const found = ahead?.events.filter((event) => event.block.hash === block.hash) ?? []
  return found.length > 0 ? found : reader.eventsOf(block)
}
