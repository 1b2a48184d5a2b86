import { getBytes, hexlify } from 'ethers'
import { CALM, type Network } from '../../credits/simulation/network.ts'
import { Random } from '../../credits/simulation/random.ts'
import type { SyncConnection } from '../../credits/simulation/sync-connection.ts'
import { Trace, Violation } from '../../credits/simulation/trace.ts'
import { VirtualTime } from '../../credits/simulation/virtual-time.ts'
import { contradictions, historyOf } from '../campaign/check-history.ts'
import {
  type Identity,
  newIdentity,
  originOf,
  PAYEE,
  requestOf,
  REVERTING,
} from '../campaign/orders.ts'
import {
  ACCOUNT_HASH,
  ACTION_CID,
  ownerOf,
  type SendingWallet,
  sendingWallets,
  signRaw,
} from '../campaign/sending-wallets.ts'
import { CHAIN_ID } from '../engine.ts'
import { type Climate, climateOf } from './climate.ts'
import { GAS_USED, ModelChain } from './model-chain.ts'
import { CALM_RPC, type RpcNetwork } from './model-provider.ts'
import { Properties } from './properties.ts'
import { SerialServer } from './serial-server.ts'
import { SimulatedProcess } from './simulated-process.ts'
import { runAs, withVirtualTimers } from './virtual-timers.ts'

const EPOCH = Date.UTC(2026, 10, 27, 12)
const FUNDS = 10n ** 20n
const GWEI = 1_000_000_000n

/** Everything must be mined and final within this time after the last fault, and the blocks that finality takes. */
const PATIENCE_MS = 10 * 60_000
const POLL_MS = 500
/** Longest time for which a process stands still. */
const PAUSE_MAX_MS = 10_000

export type Played = { seed: number; climate: Climate; trace: Trace; violation: Error | undefined }

export async function simulate(
  connection: SyncConnection,
  seed: number,
  sabotage?: (text: string) => string,
): Promise<Played> {
  const random = new Random(seed)
  const climate = climateOf(seed, random.stream())
  const time = new VirtualTime()
  const trace = new Trace(() => time.now)
  const run = new Run(connection, seed, random, climate, time, trace, sabotage)
  try {
    await withVirtualTimers(time, () => run.play())
    return { seed, climate, trace, violation: undefined }
  } catch (error) {
    if (!(error instanceof Error)) throw error
    trace.add('', error.stack ?? error.message)
    return { seed, climate, trace, violation: error }
  }
}

class Run {
  readonly #random: Random
  readonly #climate: Climate
  readonly #time: VirtualTime
  readonly #trace: Trace
  readonly #wallets: readonly SendingWallet[]
  readonly #chain: ModelChain
  readonly #properties: Properties
  readonly #network: Network
  readonly #rpc: RpcNetwork
  readonly #identities: Identity[] = []
  /** IDs of acknowledged transactions, by the number of the identity. */
  readonly #acknowledged = new Map<number, string>()
  #processes: SimulatedProcess[] = []
  #incarnations = 0
  #haltedUntil = 0
  #failure: Error | undefined

  constructor(
    connection: SyncConnection,
    seed: number,
    random: Random,
    climate: Climate,
    time: VirtualTime,
    trace: Trace,
    sabotage: Network['sabotage'],
  ) {
    this.#random = random.stream()
    this.#climate = climate
    this.#time = time
    this.#trace = trace
    this.#wallets = sendingWallets(climate.wallets, seed)
    const balances = this.#wallets.map(({ address }) => [address, FUNDS] as const)
    this.#chain = new ModelChain(random.stream(), this.#now(), new Map(balances))
    const server = new SerialServer(connection, time, EPOCH)
    server.rows(
      'truncate transactions, transaction_attempts, transaction_lanes, transaction_defaults, processes restart identity',
    )
    this.#properties = new Properties(server, this.#chain, climate.finality, trace)
    this.#network = {
      time,
      server,
      random: random.stream(),
      trace,
      weather: climate.database,
      troubledUntil: 0,
      sabotage,
    }
    this.#rpc = {
      time,
      random: random.stream(),
      chain: this.#chain,
      weather: climate.rpc,
      onBroadcast: (hash) => this.#properties.onBroadcast(hash),
      trace,
    }
  }

  async play(): Promise<void> {
    const climate = this.#climate
    this.#trace.add('', JSON.stringify(climate))
    for (let index = 0; index < climate.processes; index++) this.#start(index)
    if (climate.killAtWrite) this.#processes[0]!.killAtWrite = { ...climate.killAtWrite }
    this.#mine()
    this.#planOrders()
    this.#planDisturbances()
    await this.#run(climate.durationMs)
    await this.#calmDown()
    await this.#check()
  }

  #now(): number {
    return Math.floor((EPOCH + this.#time.now) / 1_000)
  }

  #start(index: number, predecessor?: string): void {
    const { clocksOffMs, connections, finality, processes } = this.#climate
    const incarnation = ++this.#incarnations
    const suffix = incarnation > processes ? `.${incarnation}` : ''
    this.#processes[index] = new SimulatedProcess(this.#network, this.#rpc, {
      id: `p${index + 1}${suffix}`,
      predecessor,
      clockOffMs: this.#random.integer(-clocksOffMs, clocksOffMs),
      epoch: EPOCH,
      connections,
      wallets: this.#wallets,
      finality,
      pollMs: POLL_MS,
    })
  }

  #mine(): void {
    const { time } = { time: this.#time }
    const { blockMs } = this.#climate
    time.after(blockMs, () => {
      if (time.now >= this.#haltedUntil) {
        const block = this.#chain.mine(this.#now())
        if (block.receipts.length > 0)
          this.#trace.add('chain', `block ${block.number}: ${this.#described(block)}`)
        this.#properties.afterBlock()
      }
      this.#mine()
    })
  }

  #described({ receipts }: ModelChain['head']): string {
    return receipts
      .map(
        ({ transaction: { hash, from, nonce } }) =>
          `${hash.slice(0, 10)} (${from.slice(0, 6)} ${nonce})`,
      )
      .join(', ')
  }

  #at(act: () => void): void {
    this.#time.after(this.#random.integer(0, this.#climate.durationMs), act)
  }

  #times(count: number, act: () => void): void {
    for (let n = 0; n < count; n++) this.#at(act)
  }

  #planOrders(): void {
    const { sends, changes } = this.#climate
    this.#times(sends, () => this.#send())
    this.#times(changes, () => this.#change())
  }

  #send(): void {
    const random = this.#random
    const isRepeated = this.#identities.length > 0 && random.chance(0.2)
    const identity = isRepeated
      ? random.pick(this.#identities)
      : newIdentity(this.#identities.length, this.#wallets.length, random)
    if (!isRepeated) this.#identities.push(identity)
    this.#order((process) => this.#sendTo(process, identity))
    if (random.chance(0.2)) this.#order((process) => this.#sendTo(process, identity))
  }

  async #sendTo({ name, transactions }: SimulatedProcess, identity: Identity): Promise<void> {
    const { number } = identity
    const principal = ownerOf(this.#wallets)
    const record = await transactions.send(requestOf(identity, this.#wallets), {
      principal,
      actionCid: ACTION_CID,
      ...originOf(identity),
    })
    this.#trace.add(name, `accepted ${number} as ${record.id}`)
    const known = this.#acknowledged.get(number)
    if (known !== undefined && known !== record.id)
      throw new Violation(`identity ${number} is ${known} and ${record.id}`)
    this.#acknowledged.set(number, record.id)
  }

  #change(): void {
    const ids = [...this.#acknowledged.values()]
    if (ids.length === 0) return
    const id = this.#random.pick(ids)
    const isCancel = this.#random.chance(0.4)
    this.#order(async ({ name, transactions }) => {
      this.#trace.add(name, `${isCancel ? 'cancels' : 'speeds up'} ${id}`)
      const record = isCancel
        ? await transactions.cancel(ACCOUNT_HASH, id)
        : await transactions.speedUp(ACCOUNT_HASH, id)
      if (!record) throw new Violation(`${id} is unknown to ${name}`)
    })
  }

  /** Sends an order to any live process. Its failure is allowed, unless it violates a property. */
  #order(act: (process: SimulatedProcess) => Promise<void>): void {
    const serving = this.#processes.filter(({ alive, isClosing }) => alive && !isClosing)
    if (serving.length === 0) return
    const process = this.#random.pick(serving)
    runAs(process, () => act(process)).catch((error: unknown) => {
      this.#trace.add(process.name, `refused: ${String(error)}`)
      if (error instanceof Violation) this.#failure ??= error
      else if (this.#climate.name === 'calm' && !process.isClosing) this.#failure ??= error as Error
    })
  }

  #planDisturbances(): void {
    const random = this.#random
    const climate = this.#climate
    const chain = this.#chain
    const { time } = { time: this.#time }
    this.#times(climate.reorganizations, () => {
      const depth = Math.min(random.integer(1, climate.finality), chain.head.number)
      if (depth === 0) return
      this.#trace.add('chain', `reorganizes ${depth} of ${chain.head.number} blocks`)
      chain.reorganize(depth, this.#now())
      this.#properties.afterBlock()
    })
    this.#times(climate.feeJumps, () => {
      chain.marketBaseFee = random.pick([GWEI / 100n, GWEI, 5n * GWEI, 50n * GWEI])
      this.#trace.add('chain', `has a base fee of ${chain.marketBaseFee} soon`)
    })
    this.#times(climate.forgets, () => {
      this.#trace.add('chain', 'forgets transactions')
      chain.forget(random.pick([0.3, 1]))
    })
    this.#times(random.integer(0, 2), () => {
      if (!chain.reverting.delete(REVERTING)) chain.reverting.add(REVERTING)
    })
    this.#times(climate.foreign, () => this.#sendForeign())
    this.#times(climate.halts, () => {
      this.#haltedUntil = time.now + random.integer(10_000, 120_000)
      this.#trace.add('chain', 'halts')
    })
    this.#times(climate.kills, () => this.#processAtRandom((one) => one.kill('at random')))
    this.#times(climate.closes, () => this.#processAtRandom((one) => void one.close()))
    this.#times(climate.pauses, () =>
      this.#processAtRandom((one) => {
        one.stillUntil = time.now + random.integer(500, PAUSE_MAX_MS)
        this.#trace.add(one.name, `stands still until ${one.stillUntil}`)
      }),
    )
    this.#times(climate.clockJumps, () =>
      this.#processAtRandom((one) => {
        one.clockOffMs += random.pick([-60_000, 60_000])
        this.#trace.add(one.name, `has a clock ${one.clockOffMs} ms ahead`)
      }),
    )
    // Processes that have ended are started again after a while, with or without knowing the one before.
    const restart = () => {
      for (const [index, { alive, id }] of this.#processes.entries())
        if (!alive) this.#start(index, random.chance(0.5) ? id : undefined)
      time.after(random.integer(100, 5_000), restart)
    }
    time.after(1_000, restart)
  }

  #processAtRandom(act: (process: SimulatedProcess) => void): void {
    const serving = this.#processes.filter(({ alive, isClosing }) => alive && !isClosing)
    if (serving.length > 0) act(this.#random.pick(serving))
  }

  /** Signs with the raw key of a wallet: something else, an empty transaction, or the same as one of ours. */
  #sendForeign(): void {
    const random = this.#random
    const wallet = random.pick(this.#wallets)
    const from = wallet.address
    const nonce = random.chance(0.5)
      ? this.#chain.pendingNonce(from)
      : this.#chain.account(from).nonce
    const kind = random.pick(['other', 'empty', 'same'] as const)
    const same = this.#identities.find((one) => this.#wallets[one.wallet] === wallet)
    const effect =
      kind === 'same' && same
        ? requestOf(same, this.#wallets)
        : kind === 'empty'
          ? { to: from, data: '0x', value: 0n }
          : { to: PAYEE, data: hexlify(getBytes('0xf0')), value: 7n }
    const { raw, hash } = signRaw(wallet.key, {
      chainId: CHAIN_ID,
      nonce,
      to: effect.to,
      data: effect.data,
      value: effect.value,
      gasLimit: GAS_USED * 2n,
      maxFeePerGas: 300n * GWEI,
      maxPriorityFeePerGas: 20n * GWEI,
    })
    try {
      this.#chain.submit(raw)
      this.#trace.add('foreign', `sends ${hash.slice(0, 10)} with nonce ${nonce} (${kind})`)
    } catch (error) {
      this.#trace.add('foreign', `cannot send: ${String(error)}`)
    }
  }

  /** Stops all faults. Then everything must be mined, and become final. */
  async #calmDown(): Promise<void> {
    this.#network.weather = CALM
    this.#rpc.weather = CALM_RPC
    this.#haltedUntil = 0
    this.#chain.marketBaseFee = GWEI
    for (const process of this.#processes) {
      process.killAtWrite = undefined
      process.stillUntil = Math.min(process.stillUntil, this.#time.now)
    }
    this.#trace.add('', 'the weather is calm')
    const { blockMs, finality } = this.#climate
    // Processes that stand still continue with orders from before.
    await this.#run(this.#time.now + 1.5 * PAUSE_MAX_MS)
    const until = this.#time.now + PATIENCE_MS + 3 * blockMs * finality
    await this.#run(until, () => this.#properties.haveAllEnded)
    if (!this.#properties.haveAllEnded)
      throw new Violation(`transactions do not end: ${this.#properties.open.join('; ')}`)
  }

  async #check(): Promise<void> {
    const alive = () => this.#processes.find((one) => one.alive)
    await this.#run(this.#time.now + PATIENCE_MS, () => alive() !== undefined)
    const process = alive()!
    const history = await this.#through(historyOf(process.db))
    const addresses = new Set(this.#wallets.map(({ address }) => address))
    const mined = this.#chain.blocks.flatMap(({ number, hash: blockHash, receipts }) =>
      receipts
        .filter(({ transaction }) => addresses.has(transaction.from))
        .map(({ transaction }) => ({ ...transaction, block: number, blockHash })),
    )
    const found = contradictions(history, mined, (hash) => this.#properties.isForeign(hash))
    const ids = new Set(history.rows.map(({ id }) => id))
    for (const [number, id] of this.#acknowledged)
      if (!ids.has(id)) found.push(`identity ${number} was accepted as ${id}, and is lost`)
    if (found.length > 0) throw new Violation(found.join('; '))
  }

  async #run(until: number, isDone: () => boolean = () => false): Promise<void> {
    await this.#time.run(until, () => {
      if (this.#failure) throw this.#failure
      return isDone()
    })
  }

  /** Runs until the promise settles, for at most a minute. */
  async #through<Result>(promise: Promise<Result>): Promise<Result> {
    let isOver = false
    const over = () => void (isOver = true)
    promise.then(over, over)
    await this.#run(this.#time.now + 60_000, () => isOver)
    if (!isOver) throw new Violation('something does not come to an end')
    return promise
  }
}
