import { drizzle } from 'drizzle-orm/node-postgres'
import type { Database } from '../../../../origin/db/open.ts'
import { connectionPool } from '../../../../origin/db/pool.ts'
import * as schema from '../../../../origin/db/schema.ts'
import type { Transactions } from '../../../../origin/transactions/transactions.ts'
import { clientOver, type Member, type Network, trouble } from '../../credits/simulation/network.ts'
import { beat } from '../campaign/process-lease.ts'
import { type SendingWallet, signerOf } from '../campaign/sending-wallets.ts'
import { createTransactions } from '../campaign/start-transactions.ts'
import { CHAIN, CHAIN_ID, chainsOf } from '../engine.ts'
import { ModelProvider, type RpcNetwork } from './model-provider.ts'
import { runAs } from './virtual-timers.ts'

/** Shorter than in production, as are the simulations. */
const LEASE_MS = 3_000
const BEAT_MS = 1_000
const RETRY_MS = 200

export type ProcessOptions = {
  id: string
  predecessor: string | undefined
  clockOffMs: number
  epoch: number
  connections: number
  wallets: readonly SendingWallet[]
  finality: number
  pollMs: number
}

/** One origin process, limited to transactions: production code over a simulated network. */
export class SimulatedProcess implements Member {
  readonly name: string
  readonly id: string
  readonly db: Database
  readonly transactions: Transactions
  alive = true
  stillUntil = 0
  killAtWrite: Member['killAtWrite']
  /** Offset of its wall clock. */
  clockOffMs: number
  readonly connections = new Set<() => void>()
  readonly #network: Network
  readonly #stopBeats: () => void
  isClosing = false

  constructor(network: Network, rpc: RpcNetwork, options: ProcessOptions) {
    this.#network = network
    this.id = options.id
    this.name = options.id
    this.clockOffMs = options.clockOffMs
    const { time, trace } = network
    const pool = connectionPool({
      Client: clientOver(network, this),
      max: options.connections,
      idleTimeoutMillis: 0,
      // pg would use a real timer, but time is simulated here.
      connectionTimeoutMillis: 0,
    })
    this.db = drizzle(pool, { schema })
    const { finality, pollMs, wallets, predecessor, epoch } = options
    const provider = new ModelProvider(rpc, this)
    const startedAt = time.now
    this.transactions = runAs(this, () =>
      createTransactions({
        db: this.db,
        processId: this.id,
        predecessor,
        chains: chainsOf({ name: CHAIN, chainId: CHAIN_ID, finality, pollMs, provider }),
        signer: signerOf(wallets),
        log: (event, facts) => trace.add(this.name, `${event} ${withoutStacks(facts)}`),
        now: () => Math.floor(epoch + time.now + this.clockOffMs),
        monotonic: () => time.now - startedAt,
      }),
    )
    this.#stopBeats = time.repeat(BEAT_MS, () => void runAs(this, () => this.#beat()), this)
    void runAs(this, () => this.#start())
  }

  async #start(): Promise<void> {
    // The service starts when the process has a lease.
    while (!(await this.#beat())) await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
    this.transactions.start()
  }

  /** Shuts down gracefully, as during a deployment. */
  async close(): Promise<void> {
    const { trace } = this.#network
    this.isClosing = true
    trace.add(this.name, 'closes')
    await runAs(this, () => this.transactions.close()).catch((error: unknown) =>
      trace.add(this.name, `close failed: ${String(error)}`),
    )
    this.kill('after it has closed')
  }

  kill = (why: string): void => {
    if (!this.alive) return
    const { time, random, trace } = this.#network
    trace.add(this.name, `killed ${why}`)
    this.alive = false
    this.#stopBeats()
    trouble(this.#network, 300)
    // Statements in transit still arrive, and the server notices the closed connections with a delay.
    for (const end of this.connections) time.after(random.integer(0, 300), end)
  }

  async #beat(): Promise<boolean> {
    return beat(this.db, this.id, LEASE_MS).then(
      () => true,
      () => false,
    )
  }
}

const withoutStacks = (facts: object = {}) =>
  JSON.stringify(facts, (key, value: unknown) =>
    key === 'cause' ? String(value).split(' ')[0] : value,
  )
