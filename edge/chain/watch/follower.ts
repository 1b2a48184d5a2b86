import type { BlockHeader, Tip } from '../block-header.ts'
import { NodeLags } from '../rpc/rpc-failures.ts'
import { commonAncestor, linkedHeaders } from './ancestor.ts'
import { begin, headersBelow } from './begin.ts'
import { CatchUp, type CatchUpOptions } from './catch-up.ts'
import { beginMarks, finalBlocks, waitForRefused } from './finality-marks.ts'
import { goBack } from './reorganisation.ts'

/** Logs of this many blocks are requested, stored and delivered together. */
const BLOCKS_AT_ONCE = 128

/**
 * Consecutive polls that must report a shorter chain, or one without any of the stored blocks, before it is accepted.
 */
const LOOKS_TO_BELIEVE = 10

export type FollowerOptions = CatchUpOptions & {
  /** Called when finalized blocks were replaced: logs already read from them must not be delivered. */
  replaced: () => void
  log: (event: string, facts: Record<string, string | number>) => void
}

/**
 * Follows the head block by block. The stored blocks always form one linked chain; new branches are adopted as a whole.
 */
export class Follower {
  readonly #options: FollowerOptions
  readonly #catchUp: CatchUp
  #doubtfulLooks = 0

  constructor(options: FollowerOptions) {
    this.#options = options
    this.#catchUp = new CatchUp(options)
  }

  /**
   * Reads new blocks, and delivers their logs to the caught-up triggers. Blocks read before an error stay stored.
   * @throws {ChainAway}
   * @throws {NodeLags}
   */
  async follow(tip: Tip): Promise<void> {
    const { state, reader } = this.#options
    const { kept } = state
    const { latest } = tip
    if (kept.through === undefined) await begin(state, reader, latest)
    if (kept.through === undefined) return
    beginMarks(state, finalBlocks(state, tip, kept.through))
    if (latest.number < kept.through) await this.#shorter(latest)
    else if (this.#catchUp.isDue(tip)) await this.#caughtUp(tip)
    else await this.#grow(tip)
  }

  /** Delivers logs that became final without a new block, because the block of a tag advanced. */
  async finish(tip: Tip): Promise<void> {
    const { state, inStep } = this.#options
    if (state.kept.through !== undefined)
      await inStep.follow(finalBlocks(state, tip, state.kept.through))
  }

  /**
   * The reported head is below the last searched block. Assumes that the node lags, unless several polls in a row
   * report such a head.
   */
  async #shorter(latest: BlockHeader): Promise<void> {
    const { state, reader } = this.#options
    const { kept } = state
    if (!this.#isBelieved()) return
    const isOurs = kept.isEmpty || kept.hashAt(latest.number) === latest.hash
    const ancestor = isOurs ? latest.number : await commonAncestor(reader, kept, latest.number - 1)
    if (ancestor === undefined) return this.#replace(latest)
    this.#sure()
    this.#goBack(ancestor)
  }

  /** Some blocks at a time: first the headers, then the logs, then the deliveries. */
  async #grow(tip: Tip, mayBranch = true): Promise<void> {
    const { state, reader } = this.#options
    const { kept } = state
    const { latest } = tip
    while (kept.through !== undefined) {
      const { through } = kept
      const top = kept.hashAt(through)
      if (through >= latest.number) {
        this.#sure()
        if (through > latest.number || top === undefined || top === latest.hash) return
      }
      const until = Math.min(through + BLOCKS_AT_ONCE, latest.number)
      const headers =
        until <= through + 1 ? [latest] : await linkedHeaders(reader, undefined, through + 1, until)
      const isBranch = through >= latest.number || (top && headers[0]!.parentHash !== top)
      if (!isBranch) {
        this.#requireGoingOn(through)
        await this.#look(headers, tip)
      } else if (mayBranch) return this.#branch(tip)
      else throw new NodeLags('the nodes are on different branches')
    }
  }

  /** Switches to another branch once it is available up to the stored height. */
  async #branch(tip: Tip): Promise<void> {
    const { state, reader } = this.#options
    const { kept } = state
    const { latest } = tip
    const through = kept.through!
    const ancestor = await commonAncestor(reader, kept, through)
    if (ancestor === undefined) {
      if (this.#isBelieved()) await this.#replace(latest)
      return
    }
    const parent = kept.hashAt(ancestor)
    const isNext = latest.number === ancestor + 1
    const branch = isNext
      ? [latest]
      : await linkedHeaders(reader, parent, ancestor + 1, Math.min(latest.number, through + 1))
    if (branch[0]?.parentHash !== parent) throw new NodeLags('the branch is gone')
    this.#requireGoingOn(through)
    this.#goBack(ancestor)
    await this.#look(branch, tip)
    await this.#grow(tip, false)
  }

  async #look(headers: readonly BlockHeader[], tip: Tip): Promise<void> {
    for (let at = 0; at < headers.length; at += BLOCKS_AT_ONCE)
      await this.#lookAt(headers.slice(at, at + BLOCKS_AT_ONCE), tip)
  }

  async #lookAt(headers: readonly BlockHeader[], tip: Tip): Promise<void> {
    const { state, reader, size, union, inStep, now, log } = this.#options
    const { kept } = state
    const { through } = kept
    const top = through === undefined ? undefined : kept.hashAt(through)
    if (headers[0]!.number !== through! + 1 || (top && headers[0]!.parentHash !== top))
      throw new NodeLags('the chain has switched to another branch')
    state.lookingThrough = headers.at(-1)!.number
    const { logs, refused } = await union().of({ reader, size }, headers)
    this.#requireGoingOn(through)
    let waiting = 0
    state.transaction(() => {
      kept.extend(headers, logs)
      waiting = waitForRefused(state, refused, now())
    })
    if (waiting > 0) log('chain.flooded', { events: refused.size, triggers: waiting })
    this.#sure()
    await inStep.follow(finalBlocks(state, tip, kept.through!))
  }

  async #caughtUp(tip: Tip): Promise<void> {
    const { state, reader } = this.#options
    const { kept } = state
    const through = kept.through!
    if (!kept.isEmpty) {
      const [ours] = await reader.headersOf([through])
      if (ours!.hash !== kept.hashAt(through)) {
        const ancestor = await commonAncestor(reader, kept, through - 1)
        this.#requireGoingOn(through)
        if (ancestor !== undefined) return this.#goBack(ancestor)
        if (this.#isBelieved()) await this.#replace(tip.latest)
        return
      }
    }
    this.#sure()
    await this.#catchUp.read(tip)
  }

  #goBack(ancestor: number): void {
    const { state, log } = this.#options
    log('chain.reorg', { depth: state.kept.through! - ancestor })
    goBack(state, ancestor)
  }

  /** Switches to a chain that has none of the stored blocks. All of its blocks count as new. */
  async #replace(latest: BlockHeader): Promise<void> {
    const { state, log, replaced, reader } = this.#options
    const { kept } = state
    const { through, first } = kept
    const last = Math.min(first - 1, latest.number)
    const below = last < 0 ? [] : await headersBelow(reader, latest, last)
    this.#requireGoingOn(through)
    log('chain.replaced', { depth: through! - last })
    goBack(state, last, { head: latest.number, below })
    this.#sure()
    replaced()
  }

  #isBelieved(): boolean {
    return ++this.#doubtfulLooks >= LOOKS_TO_BELIEVE
  }

  #sure(): void {
    this.#doubtfulLooks = 0
  }

  /**
   * Throws if the stored blocks changed while a request was in flight, for example because the last trigger was
   * removed.
   */
  #requireGoingOn(through: number | undefined): void {
    if (this.#options.state.kept.through !== through)
      throw new NodeLags('the stored blocks were removed')
  }
}
