/**
 * Compares endpoint responses with deliveries to triggers at the time of each delivery: a delivered block must be
 * final, by the trigger's finality, on a branch that an endpoint has returned.
 */
import type { Finality } from '../../../../edge/chain/finality.ts'
import type { LogDelivery } from '../../../../edge/chain/subscription.ts'
import type { ScriptedBlock } from '../../../doubles/chain-node/scripted-block.ts'
import type { ScriptedChain } from '../../../doubles/chain-node/scripted-chain.ts'

/** The deepest numeric finality of the simulation. */
const DEEP = 12

type Tag = 'safe' | 'finalized'
type Asked = { method: string; params?: unknown[] }
type Answered = { result?: { hash?: unknown } | null }

export class Witness {
  readonly #chain: ScriptedChain
  /** The highest header on top of each block that an endpoint returned, by the hash of the block. */
  readonly #tops = new Map<string, number>()
  /** The blocks that an endpoint returned for each tag, and all of their ancestors. */
  readonly #tagged = { safe: new Set<string>(), finalized: new Set<string>() }

  constructor(chain: ScriptedChain) {
    this.#chain = chain
  }

  /** Records the response of an endpoint. Incomplete responses are ignored. */
  hear(request: string, response: string): void {
    const asked = [JSON.parse(request) as Asked | Asked[]].flat()
    if (!asked.some(({ method }) => method.startsWith('eth_getBlockBy'))) return
    const answers = parsed(response)
    if (answers?.length !== asked.length) return
    for (const [place, { params }] of asked.entries()) {
      const hash = answers[place]?.result?.hash
      const block = typeof hash === 'string' ? this.#chain.byHash(hash) : undefined
      if (!block) continue
      this.#heard(block)
      const [tag] = params ?? []
      if (tag === 'safe' || tag === 'finalized') this.#heardAs(tag, block)
    }
  }

  /** @returns the reasons why this delivery is wrong at this time */
  objections(finality: Finality, { logs, lane }: LogDelivery): string[] {
    return logs.flatMap(({ blockHash, blockNumber, logIndex }) => {
      const told = `${lane} lane told of block ${blockNumber} log ${logIndex}`
      const block = this.#chain.byHash(blockHash)
      if (block?.number !== blockNumber) return [`${told}: there is no such block`]
      const top = this.#tops.get(blockHash)
      if (top === undefined) return [`${told}: no endpoint has answered with its branch`]
      if (typeof finality !== 'number')
        return this.#tagged[finality].has(blockHash) ? [] : [`${told} before it was ${finality}`]
      return top - blockNumber >= finality
        ? []
        : [`${told} ${top - blockNumber} below the head, for finality ${finality}`]
    })
  }

  /** Updates a header's ancestors until one is already known to be deep enough. */
  #heard(header: ScriptedBlock): void {
    for (let block: ScriptedBlock | undefined = header; block; block = this.#parentOf(block)) {
      const top = this.#tops.get(block.hash) ?? -1
      if (top >= header.number || top - block.number >= DEEP) return
      this.#tops.set(block.hash, header.number)
    }
  }

  #heardAs(tag: Tag, header: ScriptedBlock): void {
    const known = this.#tagged[tag]
    for (let block: ScriptedBlock | undefined = header; block; block = this.#parentOf(block)) {
      if (known.has(block.hash)) return
      known.add(block.hash)
    }
  }

  #parentOf({ parentHash }: ScriptedBlock): ScriptedBlock | undefined {
    return this.#chain.byHash(parentHash)
  }
}

function parsed(response: string): Answered[] | undefined {
  try {
    return [JSON.parse(response) as Answered | Answered[]].flat()
  } catch {
    return undefined
  }
}
