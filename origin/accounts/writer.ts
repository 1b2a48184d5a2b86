import { randomUUID } from 'node:crypto'
import type { TransactionReceipt } from 'ethers'
import type { Database } from '../db/open.ts'
import { DatabaseUnavailable } from '../db/unavailable.ts'
import { addressOf } from '../keys/keyring.ts'
import { type Log, traceOf } from '../log.ts'
import { accountConfig, type Chain, ChainUnavailable } from './chain.ts'
import type { AccountsMirror } from './mirror.ts'
import { AccountTurns } from './writer/account-turns.ts'
import { Answers, RECEIPT_WAIT_MS } from './writer/answers.ts'
import { gasLimitFor, GasMarket } from './writer/fees.ts'
import { Funding } from './writer/funding.ts'
import type { Order } from './writer/lane.ts'
import type { LiveWrite } from './writer/live-write.ts'
import { Outbox } from './writer/outbox.ts'
import { PayerLanes } from './writer/payer-lanes.ts'
import { PayerChoice } from './writer/payer-choice.ts'
import { PAYER_LEASE_MS, PayerLeases } from './writer/payer-leases.ts'
import { Receipts } from './writer/receipts.ts'
import { ContractRefused } from './writer/refusal.ts'
import { Rounds } from './writer/rounds.ts'
import { Settlement } from './writer/settlement.ts'
import { simulate } from './writer/simulate.ts'

export { ContractRefused } from './writer/refusal.ts'

/**
 * Per process, including writes in flight. Even if seven accounts write at their limit, other accounts can still write.
 */
const WAITING_MAX = 1_024
const TEND_MS = 1_000
/** Even a payer that spends as fast as possible takes longer to go from full to low. */
const FUND_MS = 10_000
/** Final writes are kept for a day. */
const FORGET_MS = 60_000
/** The lease on a payer may be lost between choosing and using it, but rarely twice in a row. */
const LANE_TRIES = 3

export type WriterOptions = {
  chain: Chain
  mirror: Pick<AccountsMirror, 'syncTo' | 'block'>
  db: Database
  processId: string
  /** A process that has certainly exited (see `predecessor.ts`). Its payers are free. */
  predecessor?: string | undefined
  payerKey: (number: number) => string
  /** Payers that send writes, numbered from 1. Payer 0 funds them. */
  payers: number
  /** Later blocks that make a block final. */
  finality: number
  now: () => number
  log: Log
  /** Awaited between the update of this process's mirror and the response to the write. */
  afterMined?: (block: number) => Promise<void>
  leaseMs?: number
  waitMs?: number
}

/**
 * Sends the writes of managed accounts. A write is recorded before it is sent, and takes effect at most once, even if
 * the process crashes. Its block is in the mirror before the call returns, so that the next request sees the write.
 */
export class AccountsWriter {
  readonly #options: WriterOptions
  readonly #outbox: Outbox
  readonly #payers: PayerLanes
  readonly #receipts: Receipts
  readonly #settlement: Settlement
  readonly #funding: Funding
  readonly #choice: PayerChoice
  readonly #answers: Answers
  readonly #turns: AccountTurns
  readonly #leasing: Rounds
  readonly #settling: Rounds
  readonly #underWay = new Map<string, Promise<TransactionReceipt>>()
  #recording: Promise<void> = Promise.resolve()
  #fundedAt = Number.NEGATIVE_INFINITY
  #forgotAt = Number.NEGATIVE_INFINITY

  constructor(options: WriterOptions) {
    this.#options = options
    const { chain, db, processId, payerKey, log, finality, leaseMs = PAYER_LEASE_MS } = options
    const { provider, chainId } = chain
    const outbox = new Outbox(options)
    const market = new GasMarket(provider)
    const onMined = (write: LiveWrite) => this.#recordMined(write)
    const leases = new PayerLeases({ db, processId, predecessor: options.predecessor, leaseMs })
    this.#outbox = outbox
    this.#payers = new PayerLanes({
      provider,
      chainId,
      outbox,
      market,
      leases,
      processId,
      payerKey,
      payers: options.payers,
      startWaitMs: leaseMs + TEND_MS,
    })
    this.#receipts = new Receipts({ provider, lanes: () => this.#payers.all(), onMined })
    this.#settlement = new Settlement({ provider, outbox, market, finality, onMined })
    const funded = Array.from({ length: options.payers }, (_, index) => ({
      number: index + 1,
      address: addressOf(payerKey(index + 1)),
    }))
    this.#funding = new Funding({ provider, market, payers: funded, log })
    this.#choice = new PayerChoice({
      payers: this.#payers,
      market,
      needFunds: () => {
        this.#fundedAt = Number.NEGATIVE_INFINITY
        this.#settling.hurry()
      },
    })
    const waitMs = options.waitMs ?? RECEIPT_WAIT_MS
    // A full queue needs eight rounds, and the longest known block time is twelve seconds.
    this.#turns = new AccountTurns(2 * waitMs)
    this.#answers = new Answers({
      provider,
      outbox,
      payers: this.#payers,
      mirror: options.mirror,
      waitMs,
      afterMined: async (block) => options.afterMined?.(block),
      lookAgain: () => {
        this.#receipts.watch()
        this.#settling.hurry()
      },
    })
    this.#leasing = new Rounds(Math.min(TEND_MS, leaseMs / 4), () => this.#lease())
    this.#settling = new Rounds(TEND_MS, () => this.#settle())
  }

  /** Acquires payers, and resumes the writes of an earlier process. Succeeds even if the chain is unreachable. */
  async start(): Promise<void> {
    await this.#payers.start()
    this.#leasing.start()
    this.#settling.start()
    this.#receipts.watch()
  }

  /** Writes in flight are left to the process that acquires the payers next. */
  async close(): Promise<void> {
    await Promise.all([this.#leasing.close(), this.#settling.close(), this.#receipts.close()])
    await this.#payers.close()
    await this.#recording
  }

  get waiting(): number {
    return this.#underWay.size
  }

  get unmined(): number {
    return this.#payers.all().reduce((sum, lane) => sum + lane.sent.length, 0)
  }

  /** Omits payers that have not been checked yet. */
  payerBalances(): { number: number; wei: bigint }[] {
    return this.#payers
      .all()
      .flatMap(({ held, number, credit }) =>
        held && credit !== undefined ? [{ number, wei: credit }] : [],
      )
      .toSorted((one, other) => one.number - other.number)
  }

  /** Always false in a process that does not hold the admin payer. */
  get isGasLow(): boolean {
    return this.#funding.isLow
  }

  /**
   * True if a failed write may still take effect, was reverted after paying gas, or the database is unavailable. Must
   * be called after `write` has settled.
   */
  async wasRecorded(writeId: string): Promise<boolean> {
    try {
      return await this.isKnown(writeId)
    } catch {
      return true
    }
  }

  /**
   * True if any process has recorded the write.
   * @throws {DatabaseUnavailable}
   */
  async isKnown(writeId: string): Promise<boolean> {
    return (await this.#outbox.find(writeId)) !== undefined
  }

  /**
   * Waits for a recorded write. Sends nothing.
   * @returns undefined if no write with this ID is recorded
   * @throws {DatabaseUnavailable} and the errors of `write`
   */
  async join(writeId: string): Promise<TransactionReceipt | undefined> {
    return (await this.isKnown(writeId)) ? this.#answers.answer(writeId) : undefined
  }

  /**
   * Calls the contract once per write ID. If the ID was recorded before, even by another process or before a crash,
   * waits for that write; the arguments are then ignored. Concurrent writes per account are limited, and further writes
   * wait, except for joins.
   * @param options.writeId any text, kept for `CHAIN_WRITE_KEPT_MS` after the write is final; random by default
   * @returns the receipt, which has already been applied to the mirror
   * @throws {ContractRefused} if the contract reverts
   * @throws {ChainUnavailable} if the chain does not respond or too many writes are waiting. A write that was already
   * sent may still succeed.
   */
  write(
    functionName: string,
    args: readonly unknown[],
    options: { writeId?: string | undefined } = {},
  ): Promise<TransactionReceipt> {
    const writeId = options.writeId ?? randomUUID()
    const before = this.#underWay.get(writeId)
    if (before) return before
    const written = this.#write(functionName, args, writeId, options.writeId !== undefined)
    this.#underWay.set(writeId, written)
    return written.finally(() => this.#underWay.delete(writeId))
  }

  async #write(
    functionName: string,
    args: readonly unknown[],
    writeId: string,
    mayBeKnown: boolean,
  ): Promise<TransactionReceipt> {
    if (this.#underWay.size >= WAITING_MAX) throw new ChainUnavailable('too many writes are queued')
    if (mayBeKnown && (await this.#outbox.find(writeId))) return this.#answers.answer(writeId)
    const data = accountConfig.encodeFunctionData(functionName, args)
    const order = { writeId, functionName, to: this.#options.chain.contractAddress, data }
    return this.#turns.inTurn(functionName, args, async () => {
      try {
        await this.#send(order)
      } catch (error) {
        // If another process has already sent the same write, its effect caused the revert.
        const known = error instanceof ContractRefused && mayBeKnown
        if (!known || !(await this.#outbox.find(writeId))) throw failureOf(error)
      }
      // The next write must be simulated against the new state.
      return this.#answers.answer(writeId)
    })
  }

  async #send(order: Pick<Order, 'writeId' | 'functionName' | 'to' | 'data'>): Promise<void> {
    const { chain, mirror } = this.#options
    const seenBlock = () => Math.max(this.#answers.seenBlock, mirror.block)
    for (let tried = 0; tried < LANE_TRIES; tried++) {
      const lane = await this.#choice.lane()
      const call = { from: lane.address, to: order.to, data: order.data }
      const gasLimit = gasLimitFor(await simulate(chain.provider, call, seenBlock))
      const sent = await lane.send({ ...order, value: 0n, gasLimit })
      if (sent !== 'lost') return this.#receipts.watch()
      await this.#payers.tend()
    }
    throw new ChainUnavailable('another process took over the payers')
  }

  #recordMined({ writeId, receipt }: LiveWrite): void {
    if (!receipt) return
    const mined = { minedHash: receipt.hash, minedBlock: receipt.blockNumber }
    // Not awaited by the response. If the update is lost, settlement finds the receipt again.
    this.#recording = this.#recording
      .then(() => this.#outbox.mined(writeId, mined))
      .catch((error: unknown) => this.#failed(error))
  }

  async #lease(): Promise<void> {
    await this.#payers.tend().catch((error: unknown) => this.#failed(error))
    this.#receipts.watch()
  }

  async #settle(): Promise<void> {
    const failed = (error: unknown) => this.#failed(error)
    const lanes = this.#payers.all()
    await Promise.all(lanes.map((lane) => this.#settlement.settle(lane).catch(failed)))
    const now = performance.now()
    const admin = this.#payers.admin()
    if (admin && now - this.#fundedAt > FUND_MS) {
      this.#fundedAt = now
      await this.#funding.fund(admin).catch(failed)
    }
    if (now - this.#forgotAt > FORGET_MS) {
      this.#forgotAt = now
      await this.#outbox.forget().catch(failed)
    }
    this.#receipts.watch()
  }

  // A provider's error message quotes the node's URL, which may contain an API key.
  #failed(error: unknown): void {
    this.#options.log('writer.failed', { cause: traceOf(error) })
  }
}

/** The provider throws various error types. */
function failureOf(error: unknown): unknown {
  const named = [ContractRefused, ChainUnavailable, DatabaseUnavailable]
  if (named.some((one) => error instanceof one)) return error
  return new ChainUnavailable('the write could not be sent', { cause: error })
}
