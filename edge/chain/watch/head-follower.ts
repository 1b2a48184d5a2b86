import type { BlockHeader, Tip } from '../../../shared/rpc/block-header.ts'
import { chunks } from '../../../shared/chunks.ts'
import { NodeLaggingError } from '../../../shared/rpc/chain-read-errors.ts'
import { findCommonAncestor, readLinkedHeaders } from './ancestor.ts'
import { storeInitialBlocks, readHeadersBelow } from './store-initial-blocks.ts'
import { CatchUp, type CatchUpOptions } from './catch-up.ts'
import { createWatermarks, finalBlocks, startCursorsAtRejected } from './finality-watermarks.ts'
import { rollBackChain } from './roll-back-chain.ts'

/** Number of blocks for which logs are requested, stored and delivered together. */
const BLOCKS_AT_ONCE = 128

/**
 * Number of consecutive polls that must report an implausible chain before it is accepted: one that is shorter, or that
 * contains none of the stored blocks.
 */
const POLLS_TO_CONFIRM = 10

type HeadFollowerOptions = CatchUpOptions & {
  /** Called when finalized blocks were replaced. Logs that were read from these blocks must not be delivered. */
  onReplaced: () => void
  log: (event: string, facts: Record<string, string | number>) => void
}

/**
 * Follows the head block by block. The stored blocks always form one linked chain, so a new branch is adopted as a
 * whole.
 */
export class HeadFollower {
  readonly #options: HeadFollowerOptions
  readonly #catchUp: CatchUp
  #doubtfulPolls = 0

  constructor(options: HeadFollowerOptions) {
    this.#options = options
    this.#catchUp = new CatchUp(options)
  }

  /**
   * Reads new blocks, and delivers their logs to the caught-up triggers. If an error occurs, blocks that were already
   * read remain stored.
   * @throws {ChainUnreachableError}
   * @throws {NodeLaggingError}
   */
  async follow(tip: Tip): Promise<void> {
    const { state, reader } = this.#options
    const { unfinalized } = state
    const { latest } = tip
    if (unfinalized.through === undefined) await storeInitialBlocks(state, reader, latest)
    if (unfinalized.through === undefined) return
    createWatermarks(state, finalBlocks(state, tip, unfinalized.through))
    if (latest.number < unfinalized.through) await this.#handleShorterChain(latest)
    else if (this.#catchUp.isDue(tip)) await this.#catchUpFromAncestor(tip)
    else await this.#extend(tip)
  }

  /** Delivers logs that became final without a new block, because the block of a tag advanced. */
  async deliverFinal(tip: Tip): Promise<void> {
    const { state, delivery } = this.#options
    if (state.unfinalized.through !== undefined)
      await delivery.deliverUpTo(finalBlocks(state, tip, state.unfinalized.through))
  }

  /**
   * Handles a reported head that is below the last searched block. Assumes that the node lags, unless several
   * consecutive polls report such a head.
   */
  async #handleShorterChain(latest: BlockHeader): Promise<void> {
    const { state, reader } = this.#options
    const { unfinalized } = state
    if (!this.#isConfirmed()) return
    const isOurs = unfinalized.isEmpty || unfinalized.hashAt(latest.number) === latest.hash
    const ancestor = isOurs
      ? latest.number
      : await findCommonAncestor(reader, unfinalized, latest.number - 1)
    if (ancestor === undefined) return this.#replaceChain(latest)
    this.#resetDoubt()
    this.#rollBack(ancestor)
  }

  async #extend(tip: Tip, mayBranch = true): Promise<void> {
    const { state, reader } = this.#options
    const { unfinalized } = state
    const { latest } = tip
    while (unfinalized.through !== undefined) {
      const { through } = unfinalized
      const top = unfinalized.hashAt(through)
      if (through >= latest.number) {
        this.#resetDoubt()
        if (through > latest.number || top === undefined || top === latest.hash) return
      }
      const until = Math.min(through + BLOCKS_AT_ONCE, latest.number)
      const headers =
        until <= through + 1
          ? [latest]
          : await readLinkedHeaders(reader, undefined, through + 1, until)
      const isBranch = through >= latest.number || (top && headers[0]!.parentHash !== top)
      if (!isBranch) {
        this.#requireUnchanged(through)
        await this.#searchBlocks(headers, tip)
      } else if (mayBranch) return this.#switchBranch(tip)
      else throw new NodeLaggingError('the nodes are on different branches')
    }
  }

  /** Switches to another branch as soon as the branch is available up to the stored height. */
  async #switchBranch(tip: Tip): Promise<void> {
    const { state, reader } = this.#options
    const { unfinalized } = state
    const { latest } = tip
    const through = unfinalized.through!
    const ancestor = await findCommonAncestor(reader, unfinalized, through)
    if (ancestor === undefined) {
      if (this.#isConfirmed()) await this.#replaceChain(latest)
      return
    }
    const parent = unfinalized.hashAt(ancestor)
    const isNext = latest.number === ancestor + 1
    const branch = isNext
      ? [latest]
      : await readLinkedHeaders(reader, parent, ancestor + 1, Math.min(latest.number, through + 1))
    if (branch[0]?.parentHash !== parent) throw new NodeLaggingError('the branch is gone')
    this.#requireUnchanged(through)
    this.#rollBack(ancestor)
    for (const headers of chunks(branch, BLOCKS_AT_ONCE)) await this.#searchBlocks(headers, tip)
    await this.#extend(tip, false)
  }

  async #searchBlocks(headers: readonly BlockHeader[], tip: Tip): Promise<void> {
    const { state, reader, size, logReader, delivery, now, log } = this.#options
    const { unfinalized } = state
    const { through } = unfinalized
    const top = through === undefined ? undefined : unfinalized.hashAt(through)
    if (headers[0]!.number !== through! + 1 || (top && headers[0]!.parentHash !== top))
      throw new NodeLaggingError('the chain has switched to another branch')
    state.searchingThrough = headers.at(-1)!.number
    const { logs, refused, created } = await logReader().read({ reader, size }, headers)
    this.#requireUnchanged(through)
    let waiting = 0
    state.transaction(() => {
      unfinalized.extend(headers, logs)
      waiting = startCursorsAtRejected(state, refused, now(), headers[0]!.number)
      state.subscriptions.learnCreated(created)
    })
    if (waiting > 0) log('chain.flooded', { events: refused.size, triggers: waiting })
    this.#resetDoubt()
    await delivery.deliverUpTo(finalBlocks(state, tip, unfinalized.through!))
  }

  async #catchUpFromAncestor(tip: Tip): Promise<void> {
    const { state, reader } = this.#options
    const { unfinalized } = state
    const through = unfinalized.through!
    if (!unfinalized.isEmpty) {
      const [ours] = await reader.headersOf([through])
      if (ours!.hash !== unfinalized.hashAt(through)) {
        const ancestor = await findCommonAncestor(reader, unfinalized, through - 1)
        this.#requireUnchanged(through)
        if (ancestor !== undefined) return this.#rollBack(ancestor)
        if (this.#isConfirmed()) await this.#replaceChain(tip.latest)
        return
      }
    }
    this.#resetDoubt()
    await this.#catchUp.read(tip)
  }

  #rollBack(ancestor: number): void {
    const { state, log } = this.#options
    log('chain.reorg', { depth: state.unfinalized.through! - ancestor })
    rollBackChain(state, ancestor)
  }

  /** All blocks of the new chain count as new. */
  async #replaceChain(latest: BlockHeader): Promise<void> {
    const { state, log, onReplaced, reader } = this.#options
    const { unfinalized } = state
    const { through, first } = unfinalized
    const last = Math.min(first - 1, latest.number)
    const below = last < 0 ? [] : await readHeadersBelow(reader, latest, last)
    this.#requireUnchanged(through)
    log('chain.replaced', { depth: through! - last })
    rollBackChain(state, last, { head: latest.number, below })
    this.#resetDoubt()
    onReplaced()
  }

  #isConfirmed(): boolean {
    return ++this.#doubtfulPolls >= POLLS_TO_CONFIRM
  }

  #resetDoubt(): void {
    this.#doubtfulPolls = 0
  }

  /**
   * Throws if the stored blocks changed while a request was in flight, for example because the last trigger was
   * removed.
   */
  #requireUnchanged(through: number | undefined): void {
    if (this.#options.state.unfinalized.through !== through)
      throw new NodeLaggingError('the stored blocks were removed')
  }
}
