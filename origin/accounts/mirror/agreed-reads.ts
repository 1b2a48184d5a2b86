import { type BloomBits, bloomBits, bloomHasBits } from '../../../shared/crypto/bloom.ts'
import type { BlockHeader } from '../../../shared/rpc/block-header.ts'
import { NodeLaggingError } from '../../../shared/rpc/chain-read-errors.ts'
import type { ContractChain } from '../chain.ts'
import type { ChainNode, Subject } from '../nodes/chain-nodes.ts'
import { AccountConfigReader } from './account-config-reader.ts'

type AgreedRead<T> = {
  read: (reader: AccountConfigReader, node: ChainNode) => Promise<T>
  keyOf: (value: T) => string | null
  subjectOf: (value: T, other: T) => Subject
  among?: readonly ChainNode[]
}

/** Reads the contract from all nodes, and accepts only what a quorum of them returned (`ChainNodes`). */
export class AgreedReads {
  readonly #chain: ContractChain
  readonly #readers: ReadonlyMap<ChainNode, AccountConfigReader>
  readonly #addressBits: BloomBits
  /**
   * True if bloom filters are used to skip blocks without events. Some chains leave bloom filters empty, so they are
   * used only if the filter of the deployment block includes the contract.
   */
  #hasBlooms = false
  highestHead = -1

  constructor(chain: ContractChain) {
    const address = chain.contractAddress.toLowerCase()
    this.#chain = chain
    this.#readers = new Map(
      chain.nodes.all.map((node) => [node, new AccountConfigReader(node.endpoint, address)]),
    )
    this.#addressBits = bloomBits(address)
  }

  /**
   * Must be called before any other method.
   * @throws {Error} if the contract does not exist
   */
  async requireContract(): Promise<void> {
    const { contractBlock } = this.#chain
    const { hasCode, first } = await this.agree({
      read: async (reader) => {
        const [exists, header] = await Promise.all([
          reader.hasContract(),
          reader.header(contractBlock),
        ])
        return { hasCode: exists, first: header }
      },
      keyOf: (found) => JSON.stringify([found.hasCode, found.first.hash, found.first.logsBloom]),
      subjectOf: () => 'state',
    })
    if (!hasCode) throw new Error('no contract is deployed at that address')
    this.#hasBlooms = bloomHasBits(first.logsBloom, this.#addressBits)
  }

  mayContainLogs(header: BlockHeader): boolean {
    return !this.#hasBlooms || bloomHasBits(header.logsBloom, this.#addressBits)
  }

  /** Returns undefined if the nodes do not have the block. */
  async hashAt(number: number): Promise<string | undefined> {
    const header = await this.agree({
      read: (reader) =>
        reader.header(number).catch((error: unknown) => {
          if (error instanceof NodeLaggingError) return undefined
          throw error
        }),
      keyOf: (found) => found?.hash ?? null,
      subjectOf: () => 'block',
    })
    return header?.hash
  }

  agree<T>({ read, ...options }: AgreedRead<T>): Promise<T> {
    const { nodes } = this.#chain
    return nodes.agree({ ...options, read: (node) => read(this.#readers.get(node)!, node) })
  }

  isRecent(block: BlockHeader, heads: readonly BlockHeader[]): boolean {
    return this.#chain.nodes.isRecent(block, heads)
  }

  /** @returns the highest block that a quorum of the nodes has reached, and the responses of these nodes */
  async reached<T extends { head: BlockHeader }>(
    read: (reader: AccountConfigReader) => Promise<T>,
  ) {
    const { nodes } = this.#chain
    const { height, answers } = await nodes.reached((node) => read(this.#readers.get(node)!))
    this.highestHead = Math.max(this.highestHead, height)
    return { height, views: new Map(answers.map(({ node, value }) => [node, value])) }
  }
}
