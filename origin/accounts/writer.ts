import { randomUUID } from 'node:crypto'
import type { TransactionReceipt } from 'ethers'
import { PROCESS_LEASE_MS } from '../../shared/limits.ts'
import type { AuditContext } from '../audit-log/context.ts'
import type { Database } from '../db/open.ts'
import { DatabaseUnavailableError } from '../db/database-unavailable.ts'
import { addressFromPrivateKey } from '../keys/keyring.ts'
import { type OriginLog, errorTrace } from '../log.ts'
import { accountConfig, type ContractChain, ContractUnavailableError } from './chain.ts'
import type { AccountsMirror } from './mirror.ts'
import { AccountWriteLimiter } from './writer/account-write-limiter.ts'
import { WriteConfirmations, RECEIPT_WAIT_MS } from './writer/write-confirmations.ts'
import { gasLimitFor, GasMarket } from './writer/fees.ts'
import { PayerFunding } from './writer/payer-funding.ts'
import type { WriteRequest } from './writer/gas-payer.ts'
import type { LiveWrite } from './writer/live-write.ts'
import { WriteOutbox } from './writer/write-outbox.ts'
import { PayerPool } from './writer/payer-pool.ts'
import { PayerSelector } from './writer/payer-selector.ts'
import { PayerLeases } from './writer/payer-leases.ts'
import { ReceiptPoller } from './writer/receipt-poller.ts'
import { ContractRevertError } from './writer/contract-revert.ts'
import { PeriodicTask } from './writer/periodic-task.ts'
import { REPLACE_AFTER_MS, WriteFinalizer } from './writer/write-finalizer.ts'
import { simulate } from './writer/simulate.ts'

export { ContractRevertError } from './writer/contract-revert.ts'

/** Even if seven accounts write at their limit, other accounts can still write. */
const IN_FLIGHT_MAX = 1_024
const MAINTENANCE_MS = 1_000
/** Even a payer that spends as fast as possible takes longer to go from full to low. */
const FUND_MS = 10_000
const PRUNE_MS = 60_000
/** The lease on a payer may be lost between selecting and using the payer, but rarely twice in a row. */
const SEND_ATTEMPTS = 3

export type WriteOptions = { writeId?: string | undefined; audit?: AuditContext | undefined }

export type WriterOptions = {
  chain: ContractChain
  mirror: Pick<AccountsMirror, 'syncTo' | 'block'>
  db: Database
  processId: string
  /** ID of a process that has certainly exited (see `predecessor.ts`). Its payers can be acquired immediately. */
  predecessor?: string | undefined
  payerKey: (number: number) => string
  /** Number of payers that send writes. These payers are numbered from 1, and payer 0 funds them. */
  payers: number
  finality: number
  now: () => number
  log: OriginLog
  /** Awaited after this process's mirror has applied the write's block, and before the response to the write. */
  afterMined?: (block: number) => Promise<void>
  leaseMs?: number
  waitMs?: number
  replaceAfterMs?: number
}

/**
 * Sends the writes of managed accounts. A write is recorded before it is sent, and takes effect at most once, even if
 * the process crashes. The mirror has applied the write's block before the call returns, so that the next request sees
 * the write.
 */
export class AccountsWriter {
  readonly #options: WriterOptions
  readonly #outbox: WriteOutbox
  readonly #market: GasMarket
  readonly #payers: PayerPool
  readonly #receipts: ReceiptPoller
  readonly #finalizer: WriteFinalizer
  readonly #funding: PayerFunding
  readonly #payerSelector: PayerSelector
  readonly #confirmations: WriteConfirmations
  readonly #limiter: AccountWriteLimiter
  readonly #leaseTask: PeriodicTask
  readonly #finalizeTask: PeriodicTask
  readonly #inFlight = new Map<string, Promise<TransactionReceipt>>()
  #recording: Promise<void> = Promise.resolve()
  #fundedAt = Number.NEGATIVE_INFINITY
  #prunedAt = Number.NEGATIVE_INFINITY

  constructor(options: WriterOptions) {
    this.#options = options
    const { chain, db, processId, payerKey, log, finality, leaseMs = PROCESS_LEASE_MS } = options
    const { provider, chainId } = chain
    const outbox = new WriteOutbox(options)
    const market = new GasMarket(provider)
    const onMined = (write: LiveWrite) => this.#recordMined(write)
    const leases = new PayerLeases({ db, processId, predecessor: options.predecessor, leaseMs })
    this.#outbox = outbox
    this.#market = market
    this.#payers = new PayerPool({
      provider,
      chainId,
      outbox,
      market,
      leases,
      processId,
      payerKey,
      payers: options.payers,
      startWaitMs: leaseMs + MAINTENANCE_MS,
    })
    this.#receipts = new ReceiptPoller({ provider, payers: () => this.#payers.all(), onMined })
    const { replaceAfterMs = REPLACE_AFTER_MS } = options
    this.#finalizer = new WriteFinalizer({
      provider,
      outbox,
      market,
      finality,
      replaceAfterMs,
      onMined,
    })
    const funded = Array.from({ length: options.payers }, (_, index) => ({
      number: index + 1,
      address: addressFromPrivateKey(payerKey(index + 1)),
    }))
    this.#funding = new PayerFunding({ provider, market, payers: funded, log })
    this.#payerSelector = new PayerSelector({
      payers: this.#payers,
      market,
      needFunds: () => {
        this.#fundedAt = Number.NEGATIVE_INFINITY
        this.#finalizeTask.runNow()
      },
    })
    const waitMs = options.waitMs ?? RECEIPT_WAIT_MS
    // A full queue takes eight blocks of at most twelve seconds each, so twice the default wait is enough.
    this.#limiter = new AccountWriteLimiter(2 * waitMs)
    this.#confirmations = new WriteConfirmations({
      provider,
      outbox,
      payers: this.#payers,
      mirror: options.mirror,
      waitMs,
      afterMined: async (block) => options.afterMined?.(block),
      onReorganized: () => {
        this.#receipts.ensurePolling()
        this.#finalizeTask.runNow()
      },
    })
    this.#leaseTask = new PeriodicTask(Math.min(MAINTENANCE_MS, leaseMs / 4), () =>
      this.#maintainLeases(),
    )
    this.#finalizeTask = new PeriodicTask(MAINTENANCE_MS, () => this.#finalize())
  }

  /** Succeeds even if the chain is unreachable. */
  async start(): Promise<void> {
    await this.#payers.start()
    this.#leaseTask.start()
    this.#finalizeTask.start()
    this.#receipts.ensurePolling()
  }

  /** Releases the payers. Writes in flight are continued by the process that acquires the payers next. */
  async close(): Promise<void> {
    await Promise.all([this.#leaseTask.close(), this.#finalizeTask.close(), this.#receipts.close()])
    await this.#payers.close()
    await this.#recording
  }

  get waiting(): number {
    return this.#inFlight.size
  }

  get unmined(): number {
    return this.#payers.all().reduce((sum, payer) => sum + payer.sent.length, 0)
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

  get isGasLow(): boolean {
    return this.#funding.isLow
  }

  /**
   * Returns the price that a write would pay now for one unit of gas, in wei.
   * @throws {ContractUnavailableError}
   */
  async gasPrice(): Promise<bigint> {
    try {
      const { baseFee, maxPriorityFeePerGas } = await this.#market.current()
      return baseFee + maxPriorityFeePerGas
    } catch (error) {
      throw new ContractUnavailableError('the gas price could not be read', { cause: error })
    }
  }

  /**
   * Returns true if a failed write may still take effect, if it was reverted after paying gas, or if the database is
   * unavailable. Must be called after `write` has settled.
   */
  async mayBeRecorded(writeId: string): Promise<boolean> {
    try {
      return await this.isRecorded(writeId)
    } catch {
      return true
    }
  }

  /** @throws {DatabaseUnavailableError} */
  async isRecorded(writeId: string): Promise<boolean> {
    return (await this.#outbox.find(writeId)) !== undefined
  }

  /**
   * Waits for a write that was already recorded, without sending anything.
   * @returns undefined if no write with this ID is recorded
   * @throws {DatabaseUnavailableError} and the errors of `write`
   */
  async join(writeId: string): Promise<TransactionReceipt | undefined> {
    return (await this.isRecorded(writeId)) ? this.#settled(writeId) : undefined
  }

  /**
   * Calls the contract once per write ID. If a write with this ID was recorded before, even by another process or
   * before a crash, ignores the arguments and waits for that write. The number of concurrent writes per account is
   * limited, and further writes are queued.
   * @param options.writeId any text, stored for `CHAIN_WRITE_RETENTION_MS` after the write is final; random by default
   * @param options.audit context of the entry that is appended to the account's audit log once the write is mined
   * @returns the receipt, which has already been applied to the mirror
   * @throws {ContractRevertError} if the contract reverts
   * @throws {ContractUnavailableError} if the chain does not respond or too many writes are waiting. A write that was
   * already sent may still succeed.
   */
  write(
    functionName: string,
    args: readonly unknown[],
    options: WriteOptions = {},
  ): Promise<TransactionReceipt> {
    const writeId = options.writeId ?? randomUUID()
    const before = this.#inFlight.get(writeId)
    if (before) return before
    const written = this.#write(
      functionName,
      args,
      { ...options, writeId },
      options.writeId !== undefined,
    )
    this.#inFlight.set(writeId, written)
    return written.finally(() => this.#inFlight.delete(writeId))
  }

  async #write(
    functionName: string,
    args: readonly unknown[],
    { writeId, audit }: WriteOptions & { writeId: string },
    mayBeKnown: boolean,
  ): Promise<TransactionReceipt> {
    if (this.#inFlight.size >= IN_FLIGHT_MAX)
      throw new ContractUnavailableError('too many writes are queued')
    if (mayBeKnown && (await this.#outbox.find(writeId))) return this.#settled(writeId)
    const data = accountConfig.encodeFunctionData(functionName, args)
    const request = { writeId, functionName, to: this.#options.chain.contractAddress, data, audit }
    return this.#limiter.run(functionName, args, async () => {
      try {
        await this.#send(request)
      } catch (error) {
        // If another process has already sent the same write, the effect of that write caused the revert.
        const known = error instanceof ContractRevertError && mayBeKnown
        if (!known || !(await this.#outbox.find(writeId))) throw toWriteError(error)
      }
      // Waits for the confirmation before the next write starts, which must be simulated against the new state.
      return this.#settled(writeId)
    })
  }

  /**
   * Waits for the confirmation, and for the entry in the audit log if this process appends it, so that the caller's
   * next request sees both.
   */
  async #settled(writeId: string): Promise<TransactionReceipt> {
    const receipt = await this.#confirmations.wait(writeId)
    await this.#recording
    return receipt
  }

  async #send(
    request: Pick<WriteRequest, 'writeId' | 'functionName' | 'to' | 'data' | 'audit'>,
  ): Promise<void> {
    const { chain, mirror } = this.#options
    const seenBlock = () => Math.max(this.#confirmations.seenBlock, mirror.block)
    for (let tried = 0; tried < SEND_ATTEMPTS; tried++) {
      const payer = await this.#payerSelector.select()
      const call = { from: payer.address, to: request.to, data: request.data }
      const gasLimit = gasLimitFor(await simulate(chain.provider, call, seenBlock))
      const sent = await payer.send({ ...request, value: 0n, gasLimit })
      if (sent !== 'lost') return this.#receipts.ensurePolling()
      await this.#payers.maintain()
    }
    throw new ContractUnavailableError('another process took over the payers')
  }

  #recordMined({ writeId, receipt }: LiveWrite): void {
    if (!receipt) return
    // A failure does not affect the response. If the update is lost, the finalizer finds the receipt again.
    this.#recording = this.#recording
      .then(() => this.#outbox.markMined(writeId, receipt))
      .catch((error: unknown) => this.#logFailure(error))
  }

  async #maintainLeases(): Promise<void> {
    await this.#payers.maintain().catch((error: unknown) => this.#logFailure(error))
    this.#receipts.ensurePolling()
  }

  async #finalize(): Promise<void> {
    const onError = (error: unknown) => this.#logFailure(error)
    const payers = this.#payers.all()
    await Promise.all(payers.map((payer) => this.#finalizer.advance(payer).catch(onError)))
    const now = performance.now()
    const admin = this.#payers.admin()
    if (admin && now - this.#fundedAt > FUND_MS) {
      this.#fundedAt = now
      await this.#funding.fund(admin).catch(onError)
    }
    if (now - this.#prunedAt > PRUNE_MS) {
      this.#prunedAt = now
      await this.#outbox.deleteExpired().catch(onError)
    }
    this.#receipts.ensurePolling()
  }

  // Logs only the error's class and stack. A provider's error message quotes the node's URL, which may contain an API
  // key.
  #logFailure(error: unknown): void {
    this.#options.log('writer.failed', { cause: errorTrace(error) })
  }
}

function toWriteError(error: unknown): unknown {
  const named = [ContractRevertError, ContractUnavailableError, DatabaseUnavailableError]
  if (named.some((one) => error instanceof one)) return error
  return new ContractUnavailableError('the write could not be sent', { cause: error })
}
