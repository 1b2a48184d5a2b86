import type { BlockHeader } from '../block-header.ts'
import type { EndpointHealth, ReadLane } from './chain-reader.ts'
import { Outage } from './outage.ts'

/** Below both, a node is not behind: providers hear of a block some seconds apart. */
const LAG_BLOCKS = 3
const LAG_SECONDS = 5

/** A head that was told of longer ago says nothing of where the chain is. */
const HEAD_KEPT_MS = 60_000

/** An endpoint that does not serve a tag is asked for it again after this: its node may only have been starting. */
const TAG_MISSING_MS = 600_000

/** One of another chain is looked at again after this: somebody has to configure it anew. */
export const WRONG_CHAIN_MS = 300_000

type Tag = 'safe' | 'finalized'
type Head = Pick<BlockHeader, 'number' | 'timestamp'> & { at: number }

/** What is known of an endpoint's health. */
export class EndpointCondition {
  readonly #live = new Outage()
  readonly #backfill = new Outage()
  readonly #tagsMissing = new Map<Tag, number>()
  #wrongChainUntil = 0
  #answered = false
  #head: Head | undefined
  #lastFailure: string | undefined
  isLagging = false
  /** Unix milliseconds: when it was last asked for its head. */
  lookedAt = Number.NEGATIVE_INFINITY

  get head(): Head | undefined {
    return this.#head
  }

  isWrongChain(now: number): boolean {
    return now < this.#wrongChainUntil
  }

  /** Whether questions of this lane go to it as usual. */
  isWell(lane: ReadLane, now: number): boolean {
    return !this.isWrongChain(now) && this.#outages(lane).every((outage) => outage.isOver)
  }

  /** Whether one question may find out that it is well again. @param alone no other endpoint can be asked */
  isDue(lane: ReadLane, now: number, alone: boolean): boolean {
    const open = this.#outages(lane).filter((outage) => !outage.isOver)
    return !this.isWrongChain(now) && open.every((outage) => outage.isDue(now, alone))
  }

  /** Marks that a question is under way that tells whether it is well again. @returns ends the mark */
  tried(lane: ReadLane): () => void {
    const open = this.#outages(lane).filter((outage) => !outage.isOver && !outage.isTried)
    for (const outage of open) outage.isTried = true
    return () => {
      for (const outage of open) outage.isTried = false
    }
  }

  /** @returns whether it was out until now */
  answered(lane: ReadLane, now: number): boolean {
    this.#answered = true
    return this.#outages(lane)
      .map((outage) => outage.answered(now))
      .includes(true)
  }

  /**
   * What backfills ask too much does not keep live questions from it.
   * @returns for how long it is left alone; `undefined` where it was already
   */
  failed(
    lane: ReadLane,
    kind: string,
    now: number,
    random: number,
    retryAfterMs?: number,
  ): number | undefined {
    this.#lastFailure = kind
    if (kind === 'wrong_chain') {
      this.#wrongChainUntil = now + WRONG_CHAIN_MS
      return WRONG_CHAIN_MS
    }
    const live = lane === 'live' || !this.#live.isOver
    const backfill =
      lane === 'backfill' ? this.#backfill.failed(now, random, retryAfterMs) : undefined
    return live ? this.#live.failed(now, random, retryAfterMs) : backfill
  }

  /** @param others what is known of the other endpoints */
  toldHead(header: BlockHeader, now: number, others: readonly EndpointCondition[]): void {
    this.lookedAt = now
    this.#head = { number: header.number, timestamp: header.timestamp, at: now }
    this.isLagging = others.some(({ head }) => {
      if (!head || now - head.at > HEAD_KEPT_MS) return false
      const blocks = head.number - header.number
      return blocks > LAG_BLOCKS && head.timestamp - header.timestamp > LAG_SECONDS
    })
  }

  toldTags(tags: Partial<Record<Tag, unknown>>, now: number): void {
    for (const tag of ['safe', 'finalized'] as const) {
      if (tags[tag] === null) this.#tagsMissing.set(tag, now)
      else if (tags[tag] !== undefined) this.#tagsMissing.delete(tag)
    }
  }

  /** Whether it was found not to serve one of them. */
  lacks(tags: readonly Tag[], now: number): boolean {
    return tags.some(
      (tag) => now - (this.#tagsMissing.get(tag) ?? Number.NEGATIVE_INFINITY) < TAG_MISSING_MS,
    )
  }

  health(endpoint: number, latencyMs: number | null, now: number): EndpointHealth {
    return {
      endpoint,
      state: this.#state(now),
      head: this.#head?.number ?? null,
      latencyMs,
      lastFailure: this.#lastFailure ?? null,
    }
  }

  #state(now: number): EndpointHealth['state'] {
    if (this.isWrongChain(now)) return 'wrong_chain'
    if (!this.#live.isOver) return 'failing'
    if (!this.#answered) return this.#lastFailure === 'wrong_chain' ? 'wrong_chain' : 'unknown'
    return this.isLagging ? 'lagging' : 'healthy'
  }

  #outages(lane: ReadLane): readonly Outage[] {
    return lane === 'live' ? [this.#live] : [this.#live, this.#backfill]
  }
}
