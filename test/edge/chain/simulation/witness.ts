/**
 * Hears what the endpoints answer and what triggers are told, and holds the one against the other at that very moment: a
 * block that is told of has to be final, by the trigger's finality, on a branch that an endpoint has answered with.
 */
import type { Finality } from '../../../../edge/chain/finality.ts'
import type { LogDelivery } from '../../../../edge/chain/subscription.ts'
import type { ScriptedBlock } from '../../../doubles/chain-node/scripted-block.ts'
import type { ScriptedChain } from '../../../doubles/chain-node/scripted-chain.ts'

/** No finality of the simulation is a greater depth. */
const DEEP = 12

type Tag = 'safe' | 'finalized'
type Asked = { method: string; params?: unknown[] }
type Answered = { result?: { hash?: unknown } | null }

export class Witness {
  readonly #chain: ScriptedChain
  /** The highest header on top of each block that an endpoint has answered with, by the block's hash. */
  readonly #tops = new Map<string, number>()
  /** Blocks that a tag's block was answered for, on top of them or themselves. */
  readonly #tagged = { safe: new Set<string>(), finalized: new Set<string>() }

  constructor(chain: ScriptedChain) {
    this.#chain = chain
  }

  /** An endpoint has answered a request. What is no whole answer says nothing. */
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

  /** @returns what is wrong with telling this now */
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

  /** Up the chain, until where all below is known to be deep enough. */
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
