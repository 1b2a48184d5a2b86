/** The interface of the transaction service, in memory and without a chain: for tests of its callers. */
import { identityOf, requestHashOf, transactionId } from '../../../origin/transactions/identity.ts'
import { TransactionIdentityError } from '../../../origin/transactions/errors.ts'
import type {
  TransactionOrigin,
  TransactionRequest,
  TransactionService,
} from '../../../origin/transactions/types.ts'
import { UnknownChainError } from '../../../origin/transactions/unknown-chain-error.ts'
import { addressOfPkp } from '../../../shared/wire/fields.ts'
import type { TransactionRecord } from '../../../shared/wire/transactions.ts'

const KEY = new Uint8Array(32).fill(7)
const TIME = '2026-07-01T12:00:00.000Z'
export const CHAIN_ID = 8453

type Stored = { accountHash: string; requestHash: string; record: TransactionRecord }

export class RecordingService implements TransactionService {
  readonly requests: { request: TransactionRequest; origin: TransactionOrigin }[] = []
  readonly open = new Set<string>()
  /** Signals of the waits that have not ended. */
  readonly waits = new Set<AbortSignal>()
  /** Awaited by each method. */
  gate: Promise<unknown> = Promise.resolve()
  readonly #stored = new Map<string, Stored>()

  async send(request: TransactionRequest, origin: TransactionOrigin): Promise<TransactionRecord> {
    this.requests.push({ request, origin })
    await this.gate
    if (request.chain !== 'base')
      throw new UnknownChainError(request.chain, [{ name: 'base', chainId: CHAIN_ID }])
    const accountHash = origin.principal.account.hash
    const id = transactionId(KEY, accountHash, identityOf(origin))
    const requestHash = requestHashOf(request, CHAIN_ID)
    const known = this.#stored.get(id)
    if (known && known.requestHash !== requestHash) throw new TransactionIdentityError(id)
    const record = known?.record ?? recordOf(id, request, origin)
    this.#stored.set(id, { accountHash, requestHash, record })
    return record
  }

  change(id: string, changes: Partial<TransactionRecord>): void {
    const stored = this.#stored.get(id)!
    this.#stored.set(id, { ...stored, record: { ...stored.record, ...changes } })
  }

  async find(accountHash: string, id: string): Promise<TransactionRecord | undefined> {
    await this.gate
    const stored = this.#stored.get(id)
    return stored?.accountHash === accountHash ? stored.record : undefined
  }

  async waitFor(
    accountHash: string,
    id: string,
    _state: 'mined' | 'final',
    withinMs: number,
    signal?: AbortSignal,
  ): Promise<TransactionRecord | undefined> {
    const timeout = AbortSignal.timeout(withinMs)
    if (signal) this.waits.add(signal)
    const { promise, resolve } = Promise.withResolvers<void>()
    for (const one of [timeout, ...(signal ? [signal] : [])])
      one.addEventListener('abort', () => resolve())
    await promise
    if (signal) this.waits.delete(signal)
    return this.find(accountHash, id)
  }

  async hasOpen(chainId: number | undefined, address: string): Promise<boolean> {
    await this.gate
    if (chainId !== undefined) return this.open.has(`${chainId}/${address}`)
    return [...this.open].some((name) => name.endsWith(`/${address}`))
  }

  list(): never {
    throw new Error('not used')
  }

  cancel(): never {
    throw new Error('not used')
  }

  speedUp(): never {
    throw new Error('not used')
  }
}

function recordOf(
  id: string,
  { pkpId, to, data, value, gasLimit, maxFeePerGas, speed }: TransactionRequest,
  { actionCid, runId, step }: TransactionOrigin,
): TransactionRecord {
  return {
    id,
    state: 'queued',
    waiting_for: null,
    waiting_message: null,
    chain: 'base',
    chain_id: CHAIN_ID,
    wallet_address: addressOfPkp(pkpId),
    pkp_id: pkpId,
    to,
    data,
    value: String(value),
    gas: gasLimit === undefined ? null : String(gasLimit),
    max_fee_per_gas: maxFeePerGas === undefined ? null : String(maxFeePerGas),
    speed: speed ?? 'normal',
    nonce: null,
    attempts: [],
    mined: null,
    replaced_by: null,
    failure: null,
    policy: null,
    action_cid: actionCid,
    run_id: runId ?? null,
    step: step ?? null,
    created_at: TIME,
    updated_at: TIME,
    ended_at: null,
  }
}
