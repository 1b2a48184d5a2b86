/** Transactions on their own chain and database, with a wallet whose key the test has. */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'drizzle-orm'
import {
  computeAddress,
  hexlify,
  type JsonRpcApiProvider,
  Network,
  randomBytes,
  SigningKey,
  toQuantity,
  Transaction,
  zeroPadValue,
} from 'ethers'
import type { Principal } from '../../../origin/accounts/account.ts'
import { ChainNodes } from '../../../origin/accounts/nodes/chain-nodes.ts'
import { NodesProvider } from '../../../origin/accounts/nodes/nodes-provider.ts'
import { listenFor } from '../../../origin/db/notifications.ts'
import { openDatabase } from '../../../origin/db/open.ts'
import { processes } from '../../../origin/db/schema.ts'
import type { LogFields } from '../../../shared/service-log/line.ts'
import { UnknownChainError } from '../../../origin/transactions/unknown-chain-error.ts'
import {
  Transactions,
  TRANSACTIONS_CHANNEL,
  type TransactionsOptions,
} from '../../../origin/transactions/transactions.ts'
import type {
  NonceGap,
  SigningResult,
  TransactionChain,
  TransactionChains,
  TransactionRequest,
  TransactionSigner,
  UnsignedTransaction,
} from '../../../origin/transactions/types.ts'
import { fundedKey, startChain } from '../chain.ts'
import { openFresh } from '../db/fresh-database.ts'

export type Engine = Awaited<ReturnType<typeof startEngine>>
export type EngineProcess = Awaited<ReturnType<Engine['open']>>

export const CHAIN = 'local'
export const CHAIN_ID = 31_337

export type Wallet = { key: SigningKey; address: string; pkpId: string }

export function walletOf(privateKey: string): Wallet {
  const key = new SigningKey(privateKey)
  const address = computeAddress(key).toLowerCase()
  return { key, address, pkpId: zeroPadValue(address, 32) }
}

export const newWallet = () => walletOf(hexlify(randomBytes(32)))

/** Signs with keys that the test has, and refuses on request. */
export class TestSigner implements TransactionSigner {
  readonly #keys = new Map<string, SigningKey>()
  /** Called before each signature. */
  before: (transaction: UnsignedTransaction) => SigningResult | undefined | Promise<undefined> =
    () => undefined
  /** Called before each cancellation. */
  beforeCancel: () => SigningResult | undefined = () => undefined
  signatures = 0

  add({ address, key }: Wallet): void {
    this.#keys.set(address, key)
  }

  async sign(unsigned: UnsignedTransaction, { address }: { address: string }) {
    const refused = await this.before(unsigned)
    return refused ?? this.#signed(unsigned, address)
  }

  async replace(
    unsigned: UnsignedTransaction,
    _replaced: UnsignedTransaction,
    context: { address: string },
  ) {
    return this.sign(unsigned, context)
  }

  async cancel(
    { chainId, nonce }: UnsignedTransaction,
    fees: { maxFeePerGas: bigint; maxPriorityFeePerGas: bigint },
    { address }: { address: string },
  ) {
    const empty = { to: address, data: '0x', value: 0n, gasLimit: 21_000n }
    const refused = this.beforeCancel()
    if (refused) return refused
    return this.#signed({ chainId, nonce, ...empty, ...fees }, address)
  }

  async fillGap(
    { nonce, above }: NonceGap,
    fees: { maxFeePerGas: bigint; maxPriorityFeePerGas: bigint },
    context: { address: string },
  ) {
    return this.cancel({ ...above, nonce }, fees, context)
  }

  #signed(unsigned: UnsignedTransaction, address: string): SigningResult {
    this.signatures++
    const transaction = Transaction.from({ type: 2, ...unsigned })
    transaction.signature = this.#keys.get(address)!.sign(transaction.unsignedHash)
    return { signed: { hash: transaction.hash!, raw: transaction.serialized } }
  }
}

export function chainsOf(...chains: TransactionChain[]): TransactionChains {
  return {
    all: () => chains,
    require: (name) => {
      const found = chains.find((one) => one.name === name || String(one.chainId) === name)
      if (!found) throw new UnknownChainError(name, chains)
      return found
    },
    byId: (id) => chains.find(({ chainId }) => chainId === id),
  }
}

export function connect(urls: readonly string[]): JsonRpcApiProvider {
  const nodes = new ChainNodes(urls, CHAIN_ID, {
    fetch: (url, init) => fetch(url, init),
    now: Date.now,
    random: Math.random,
    log: () => {},
  })
  return new NodesProvider(nodes, Network.from(CHAIN_ID))
}

export type OpenOptions = Partial<TransactionsOptions> & {
  rpcUrls?: string[]
  finality?: number
  pollMs?: number
}

export const accountHash = `0x${'a1'.repeat(32)}`
export const principal = {
  account: { hash: accountHash },
  keyHash: `0x${'b2'.repeat(32)}`,
} as unknown as Principal

export async function startEngine(mining?: readonly string[]) {
  const [chain, database] = await Promise.all([startChain(mining), openFresh()])
  const provider = connect([chain.rpcUrl])
  const signer = new TestSigner()
  const closers: (() => Promise<void>)[] = []
  const funder = walletOf(fundedKey(0))
  const send = (method: string, params: unknown[]): Promise<any> => provider.send(method, params)

  const self = {
    chain,
    database,
    db: database.db,
    provider,
    signer,
    send,
    /** A funded wallet. */
    wallet: async (ether = 100n): Promise<Wallet> => {
      const wallet = newWallet()
      signer.add(wallet)
      await send('anvil_setBalance', [wallet.address, toQuantity(ether * 10n ** 18n)])
      return wallet
    },
    lease: (id: string, seconds = 60) => {
      const leaseUntil = sql`clock_timestamp() + ${seconds} * interval '1 second'`
      return database.db
        .insert(processes)
        .values({ id, startedAt: new Date(), heartbeatAt: new Date(), leaseUntil })
        .onConflictDoUpdate({ target: processes.id, set: { leaseUntil } })
    },
    /** Starts a process of the service. */
    open: async (given: OpenOptions = {}) => {
      const { rpcUrls = [chain.rpcUrl], finality = 2, pollMs = 100, ...options } = given
      const processId = options.processId ?? randomUUID()
      const own = await openDatabase({ url: database.url })
      const ownProvider = connect(rpcUrls)
      const logs: { event: string; facts: LogFields }[] = []
      await self.lease(processId)
      const transactions = new Transactions({
        db: own.db,
        chains: chainsOf({
          name: CHAIN,
          chainId: CHAIN_ID,
          finality,
          pollMs,
          provider: ownProvider,
        }),
        signer,
        idKey: new Uint8Array(32),
        processId,
        log: (event, facts = {}) => void logs.push({ event, facts }),
        now: Date.now,
        monotonic: () => performance.now(),
        listen: (notice) => listenFor({ url: database.url }, TRANSACTIONS_CHANNEL, notice),
        ...options,
      })
      transactions.start()
      let isClosed = false
      const close = async () => {
        if (isClosed) return
        isClosed = true
        await transactions.close()
        ownProvider.destroy()
        await own.close()
      }
      closers.push(close)
      const get = async (id: string) => (await transactions.find(accountHash, id))!
      return {
        processId,
        transactions,
        logs,
        close,
        get,
        /** Sends a transfer unless told otherwise. */
        send: (
          wallet: Wallet,
          request: Partial<TransactionRequest> = {},
          origin: { runId?: string; step?: number; idempotencyKey?: string } = {},
        ) =>
          transactions.send(
            {
              pkpId: wallet.pkpId,
              chain: CHAIN,
              to: funder.address,
              data: '0x',
              value: 1n,
              ...request,
            },
            { principal, actionCid: 'QmTest', ...origin },
          ),
        waitFor: async (id: string, state: 'mined' | 'final', withinMs = 60_000) =>
          (await transactions.waitFor(accountHash, id, state, withinMs))!,
        /** Polls until a record meets a condition. */
        until: async (
          id: string,
          condition: (record: Awaited<ReturnType<typeof get>>) => boolean,
        ) => {
          const deadline = performance.now() + 60_000
          for (;;) {
            const record = await get(id)
            if (condition(record)) return record
            if (performance.now() > deadline)
              throw new Error(`still ${JSON.stringify(record)}; logs ${JSON.stringify(logs)}`)
            await sleep(20)
          }
        },
      }
    },
    nonceOf: async ({ address }: Wallet) =>
      Number(await send('eth_getTransactionCount', [address, 'latest'])),
    mine: (blocks = 1) => send('anvil_mine', [toQuantity(blocks)]),
    /** From now on, only `mine` makes blocks. */
    standStill: async () => {
      await send('evm_setIntervalMining', [0])
      await send('evm_setAutomine', [false])
    },
    goOn: async () => {
      await send('evm_setAutomine', [true])
      await send('evm_setIntervalMining', [1])
    },
    closeProcesses: async () => {
      await Promise.all(closers.splice(0).map((close) => close()))
    },
    close: async () => {
      await self.closeProcesses()
      provider.destroy()
      await chain.close()
      await database.close()
    },
  }
  return self
}
