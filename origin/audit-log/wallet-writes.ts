import type { TransactionReceipt } from 'ethers'
import { and, eq } from 'drizzle-orm'
import { PAYERS_MAX } from '../../shared/limits.ts'
import { chainIdentity, type ContractChain } from '../accounts/chain.ts'
import type { AccountsMirror } from '../accounts/mirror.ts'
import type { LoggedEvent } from '../accounts/mirror/account-config-reader.ts'
import { AgreedReads } from '../accounts/mirror/agreed-reads.ts'
import { readRange } from '../accounts/mirror/catch-up.ts'
import { PeriodicTask } from '../accounts/writer/periodic-task.ts'
import type { Database } from '../db/open.ts'
import { auditCheckpoints } from '../db/schema.ts'
import { addressFromPrivateKey } from '../keys/keyring.ts'
import { type OriginLog, errorTrace } from '../log.ts'
import { appendEntry, type NewEntry } from './append-entry.ts'
import { accountOfEvent, changeOf, eventOperation } from './contract-events.ts'

const POLL_MS = 5_000

/** Blocks per `eth_getLogs` request. Halved after a failure, because providers limit the range. */
const RANGE_BLOCKS_MAX = 4_000

export type WalletWritesOptions = {
  db: Database
  chain: ContractChain
  mirror: Pick<AccountsMirror, 'current' | 'block'>
  payerKey: (number: number) => string
  finality: number
  log: OriginLog
  pollMs?: number
}

type Change = { entry: NewEntry; at: Date }

/**
 * Logs changes of ChainSecured accounts, whose admin wallets send transactions to the contract themselves. Reads the
 * events of final blocks. The checkpoint moves in the transaction that appends the entries, so no event is lost or logged
 * twice, even if several processes read the same blocks.
 */
export class WalletWrites {
  readonly #options: WalletWritesOptions
  readonly #reads: AgreedReads
  readonly #task: PeriodicTask
  #isReady = false
  #chainId: Promise<string> | undefined
  #payers: ReadonlySet<string> | undefined
  #rangeBlocks = RANGE_BLOCKS_MAX
  /** State of the mirror when it was last compared. As long as it is unchanged, there are no new events. */
  #seen: { state: unknown; changes: number } | undefined
  /** Block up to which events must be read. */
  #target = 0
  #checkpoint = -1

  constructor(options: WalletWritesOptions) {
    this.#options = options
    this.#reads = new AgreedReads(options.chain)
    this.#task = new PeriodicTask(options.pollMs ?? POLL_MS, () => this.#poll())
  }

  start(): void {
    this.#task.start()
  }

  close(): Promise<void> {
    return this.#task.close()
  }

  async #poll(): Promise<void> {
    try {
      await this.advance()
    } catch (error) {
      this.#rangeBlocks = Math.max(1, this.#rangeBlocks >> 1)
      this.#options.log('audit.events_failed', { cause: errorTrace(error) })
    }
  }

  /** Logs the changes in final blocks. Makes no request while the mirror has no new events. */
  async advance(): Promise<void> {
    const { mirror, finality } = this.#options
    const state = mirror.current()
    const { changes } = state
    if (this.#seen?.state !== state || this.#seen.changes !== changes) {
      this.#seen = { state, changes }
      this.#target = mirror.block
    }
    if (this.#checkpoint >= this.#target) return
    if (!this.#isReady) {
      await this.#reads.requireContract()
      this.#isReady = true
    }
    const final = mirror.block - finality
    this.#checkpoint = await this.#readCheckpoint(final)
    while (this.#checkpoint < final) {
      const last = Math.min(this.#checkpoint + this.#rangeBlocks, final)
      await this.#advanceTo(last)
      this.#rangeBlocks = Math.min(this.#rangeBlocks * 2, RANGE_BLOCKS_MAX)
    }
  }

  /** The first process starts at the current final block. Earlier changes are not logged. */
  async #readCheckpoint(final: number): Promise<number> {
    const { db } = this.#options
    const chain = await this.#identity()
    const isOwn = eq(auditCheckpoints.chain, chain)
    await db
      .insert(auditCheckpoints)
      .values({ chain, block: Math.max(final, this.#options.chain.contractBlock - 1) })
      .onConflictDoNothing()
    const [row] = await db.select().from(auditCheckpoints).where(isOwn)
    return row!.block
  }

  async #advanceTo(last: number): Promise<void> {
    const { db } = this.#options
    const chain = await this.#identity()
    const from = this.#checkpoint
    const range = await this.#reads.agree({
      read: (reader) => readRange({ tip: { number: from } }, last, reader, this.#reads),
      keyOf: (read) =>
        JSON.stringify(read?.events.map(({ raw, transaction }) => [raw, transaction])),
      subjectOf: (one, other) => (one?.end.hash === other?.end.hash ? 'contents' : 'block'),
    })
    const changes = await this.#changesIn(range?.events ?? [])
    await db.transaction(async (tx) => {
      const moved = await tx
        .update(auditCheckpoints)
        .set({ block: last })
        .where(and(eq(auditCheckpoints.chain, chain), eq(auditCheckpoints.block, from)))
        .returning()
      if (moved.length === 0) return
      for (const { entry, at } of changes) await appendEntry(tx, entry, at)
    })
    this.#checkpoint = last
  }

  /** One change for each account that a transaction of a wallet has changed. */
  async #changesIn(events: readonly LoggedEvent[]): Promise<Change[]> {
    const groups = Map.groupBy(events, (event) =>
      JSON.stringify([event.transaction, accountOfEvent(event)]),
    )
    const changes: Change[] = []
    for (const group of groups.values()) {
      const change = await this.#changeOf(group)
      if (change) changes.push(change)
    }
    return changes
  }

  async #changeOf(events: readonly LoggedEvent[]): Promise<Change | undefined> {
    const { chain, mirror } = this.#options
    const [first] = events
    const accountHash = first && accountOfEvent(first)
    if (accountHash === undefined || first === undefined) return undefined
    const account = mirror.current().account(accountHash)
    if (!account || account.managed) return undefined
    const receipt = await chain.provider.getTransactionReceipt(first.transaction)
    const block = await chain.provider.getBlock(first.block.number)
    if (!receipt || !block) throw new Error('a node does not have a final transaction')
    // A write of the service from before the conversion, which has an entry of its own.
    if (this.#payerAddresses().has(receipt.from.toLowerCase())) return undefined
    const { subject, events: shown } = changeOf(events)
    const entry: NewEntry = {
      context: {
        accountHash,
        operation: eventOperation(first.name),
        actor: { kind: 'wallet', id: senderOf(receipt, chain, account.adminWallet) },
        requestId: null,
        clientAddress: null,
      },
      sourceId: `chain/${chain.chainId}/${first.transaction}/${accountHash}`,
      outcome: 'done',
      subject,
      details: { transaction_hash: first.transaction, events: shown },
    }
    return { entry, at: new Date(block.timestamp * 1_000) }
  }

  #identity(): Promise<string> {
    this.#chainId ??= chainIdentity(this.#options.chain).catch((error: unknown) => {
      this.#chainId = undefined
      throw error
    })
    return this.#chainId
  }

  #payerAddresses(): ReadonlySet<string> {
    const { payerKey } = this.#options
    this.#payers ??= new Set(
      Array.from({ length: PAYERS_MAX + 1 }, (_, number) =>
        addressFromPrivateKey(payerKey(number)).toLowerCase(),
      ),
    )
    return this.#payers
  }
}

/** A contract wallet calls the contract through a transaction of another sender. */
function senderOf(
  { from, to }: Pick<TransactionReceipt, 'from' | 'to'>,
  { contractAddress }: Pick<ContractChain, 'contractAddress'>,
  adminWallet: string,
): string {
  return to?.toLowerCase() === contractAddress.toLowerCase() ? from : adminWallet
}
