/**
 * Kills processes that send transactions, and their database, while the RPC endpoints fail and the chain reorganizes. The
 * processes share the wallets. Their orders come from a seed, but when they happen depends on the machine.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import { type OpenDatabase, openDatabase } from '../../../../origin/db/open.ts'
import { MANY_FAULTS, NO_FAULTS } from '../../../doubles/faulty-rpc/rpc-faults.ts'
import type { Bounds } from '../../../nightly/bounds.ts'
import type { Figures } from '../../../nightly/figures.ts'
import { Random } from '../../credits/simulation/random.ts'
import { contradictions, historyOf, type TransactionRow } from './check-history.ts'
import { type DatabaseServer, startDatabaseServer } from './database-server.ts'
import { DisturbedChain, FINALITY } from './disturbed-chain.ts'
import { type Identity, newIdentity, type Order, REVERTING, REVERTING_CODE } from './orders.ts'
import { Sender } from './sender.ts'
import { type SendingWallet, sendingWallets } from './sending-wallets.ts'

export type CampaignSize = { processes: number; wallets: number; nodes: number }

type Acknowledged = { id: string; isAltered: boolean; at: number }

const LEASE_MS = 1_500
const POLL_MS = 200
const BLOCK_MS = 100
/** Longest time between two kills. */
const PAUSE_MAX_MS = 400
const SENDS_MAX = 8
/** Bounds what is left to do when the faults end. */
const OPEN_MAX = 100
/** Only detects hangs. */
const PATIENCE_MS = 120_000

export class KillCampaign {
  readonly #random: Random
  readonly #size: CampaignSize
  readonly #wallets: readonly SendingWallet[]
  readonly #identities: Identity[] = []
  /** IDs of the transactions that a process has acknowledged, by the number of the identity. */
  readonly #acknowledged = new Map<number, Acknowledged>()
  /** Times of the first orders, by the number of the identity. */
  readonly #ordered = new Map<number, number>()
  readonly #problems: string[] = []
  /** Processes that start while others are killed. */
  readonly #starts: Promise<void>[] = []
  readonly #figures: Figures = {}
  #server!: DatabaseServer
  #database!: OpenDatabase
  #chain!: DisturbedChain
  #senders: Sender[] = []
  #isOver = false

  constructor(seed: number, size: CampaignSize) {
    this.#random = new Random(seed)
    this.#size = size
    this.#wallets = sendingWallets(size.wallets, seed)
  }

  /** @throws {Error} with everything that is wrong, and the latest log lines of the processes */
  async play(kills: number): Promise<Figures> {
    const [server, chain] = await Promise.all([
      startDatabaseServer(),
      DisturbedChain.start(this.#size.nodes, this.#random.stream()),
    ])
    this.#server = server
    this.#chain = chain
    this.#database = await openDatabase({ url: server.url })
    try {
      await this.#disturb(kills)
      await this.#recover()
      await this.#finish()
      return { ...this.#figures, ...chain.figures() }
    } finally {
      this.#isOver = true
      await Promise.all(this.#senders.map((sender) => sender.kill()))
      await this.#database.close()
      await Promise.all([server.close(), chain.close()])
    }
  }

  async #disturb(kills: number): Promise<void> {
    const chain = this.#chain
    await chain.provider.send('anvil_setCode', [REVERTING, REVERTING_CODE])
    await chain.fund(this.#wallets.map(({ address }) => address))
    this.#senders = Array.from(
      { length: this.#size.processes },
      (_, index) =>
        new Sender(`p${index + 1}`, {
          databaseUrl: this.#server.url,
          rpcUrls: chain.urls,
          wallets: this.#wallets,
          finality: FINALITY,
          pollMs: POLL_MS,
          leaseMs: LEASE_MS,
        }),
    )
    await Promise.all(this.#senders.map((sender) => sender.start()))
    chain.faults = MANY_FAULTS
    void this.#mine()
    const orders: Promise<void>[] = []
    for (let kill = 0; kill < kills; kill++) {
      if ((await this.#openCount()) < OPEN_MAX)
        for (let n = this.#random.integer(1, SENDS_MAX); n > 0; n--) orders.push(this.#send())
      for (let n = this.#random.integer(0, 2); n > 0; n--) orders.push(this.#change())
      if (this.#random.chance(0.3)) await this.#reorganize()
      await sleep(this.#random.integer(0, PAUSE_MAX_MS))
      await this.#kill()
    }
    await Promise.all([...orders, ...this.#starts])
  }

  async #mine(): Promise<void> {
    while (!this.#isOver) {
      await this.#chain.mine().catch(() => {})
      await sleep(BLOCK_MS)
    }
  }

  /** Reorganizations of one or two blocks are as frequent as all deeper ones. */
  async #reorganize(): Promise<void> {
    const depth = this.#random.chance(0.5)
      ? this.#random.integer(1, 2)
      : this.#random.integer(3, FINALITY)
    await this.#chain.reorganize(depth)
  }

  async #kill(): Promise<void> {
    if (this.#random.chance(0.2)) {
      this.#add('database kills')
      return this.#server.restart()
    }
    this.#add('process kills')
    const sender = this.#random.pick(this.#senders)
    await sender.kill()
    this.#starts.push(sender.start(this.#random.chance(0.5)))
  }

  /** Sends a new transaction, or repeats an earlier one, which also processes do that have not seen it. */
  async #send(): Promise<void> {
    const random = this.#random
    const isRepeated = this.#identities.length > 0 && random.chance(0.3)
    const identity = isRepeated
      ? random.pick(this.#identities.slice(-20))
      : newIdentity(this.#identities.length, this.#wallets.length, random)
    if (!isRepeated) this.#identities.push(identity)
    const isAltered = isRepeated && random.chance(0.2)
    const times = random.chance(0.2) ? 2 : 1
    await Promise.all(
      Array.from({ length: times }, () => this.#sendTo(this.#anySender(), identity, isAltered)),
    )
  }

  #anySender(): Sender {
    const ready = this.#senders.filter(({ isReady }) => isReady)
    return this.#random.pick(ready.length > 0 ? ready : this.#senders)
  }

  async #sendTo(sender: Sender, identity: Identity, isAltered: boolean): Promise<void> {
    const { number } = identity
    if (!this.#ordered.has(number)) this.#ordered.set(number, performance.now())
    const reply = await sender.order({ kind: 'send', identity, isAltered })
    if (!reply) return this.#add('orders without a reply')
    const known = this.#acknowledged.get(number)
    if ('error' in reply) {
      if (reply.name === 'TransactionIdentityError' && known?.isAltered === isAltered)
        this.#problems.push(`identity ${number} was refused as another request: ${reply.error}`)
      return this.#add('orders that failed')
    }
    const { id } = reply.record!
    if (known && (known.id !== id || known.isAltered !== isAltered))
      this.#problems.push(`two requests of identity ${number} were accepted: ${known.id} and ${id}`)
    const at = known?.at ?? performance.now()
    this.#acknowledged.set(number, { id, isAltered, at })
  }

  async #change(): Promise<void> {
    const ids = [...this.#acknowledged.values()].slice(-20).map(({ id }) => id)
    if (ids.length === 0) return
    const kind: Order['kind'] = this.#random.pick(['cancel', 'speedUp', 'speedUp'])
    const reply = await this.#anySender().order({ kind, id: this.#random.pick(ids) })
    if (reply && 'record' in reply) this.#add(kind === 'cancel' ? 'cancels' : 'speed-ups')
  }

  /** After the faults, everything is mined. */
  async #recover(): Promise<void> {
    this.#chain.faults = NO_FAULTS
    const began = performance.now()
    await this.#until('every nonce is mined', async () => {
      const { rows } = await historyOf(this.#database.db)
      return this.#isMined(rows)
    })
    this.#figures['max ms until no gap'] = Math.round(performance.now() - began)
  }

  async #isMined(rows: readonly TransactionRow[]): Promise<boolean> {
    if (rows.some((row) => row.endedAt === null && row.minedHash === null)) return false
    for (const { address } of this.#wallets) {
      const signed = rows.filter((row) => row.nonce !== null && row.address === address)
      if ((await this.#chain.nonceOf(address)) !== signed.length) return false
      if ((await this.#chain.nonceOf(address, 'pending')) !== signed.length) return false
    }
    return true
  }

  async #finish(): Promise<void> {
    await this.#chain.mine(FINALITY + 1)
    await this.#until('all transactions have ended', async () => {
      const { rows } = await historyOf(this.#database.db)
      return rows.every(({ endedAt }) => endedAt !== null)
    })
    const history = await historyOf(this.#database.db)
    const mined = await this.#chain.minedBy(this.#wallets.map(({ address }) => address))
    const problems = [...this.#problems, ...contradictions(history, mined)]
    const ids = new Set(history.rows.map(({ id }) => id))
    for (const [number, { id }] of this.#acknowledged)
      if (!ids.has(id)) problems.push(`identity ${number} was acknowledged as ${id}, and is lost`)
    problems.push(...this.#outOfOrder(history.rows))
    if (history.rows.length > this.#identities.length)
      problems.push(
        `${this.#identities.length} identities became ${history.rows.length} transactions`,
      )
    for (const { state } of history.rows) this.#add(`${state} transactions`)
    this.#figures['attempts'] = history.attempts.length
    if (problems.length > 0) throw new Error([...problems, ...this.#logs()].join('\n'))
    // Otherwise the campaign covered nothing.
    expect(mined.length).toBeGreaterThan(0)
  }

  /** A transaction that is requested after another one was acknowledged has a higher nonce. */
  #outOfOrder(rows: readonly TransactionRow[]): string[] {
    const nonces = new Map(rows.map(({ id, nonce }) => [id, nonce]))
    const signed = this.#identities.flatMap((identity) => {
      const acknowledged = this.#acknowledged.get(identity.number)
      const nonce = acknowledged && nonces.get(acknowledged.id)
      const orderedAt = this.#ordered.get(identity.number)!
      return acknowledged && nonce != null
        ? [{ ...acknowledged, ...identity, nonce, orderedAt }]
        : []
    })
    return signed.flatMap((first) =>
      signed
        .filter(
          ({ wallet, orderedAt, nonce }) =>
            wallet === first.wallet && orderedAt > first.at && nonce < first.nonce,
        )
        .map((later) => `${later.id} (nonce ${later.nonce}) overtook ${first.id} (${first.nonce})`),
    )
  }

  async #until(what: string, isTrue: () => Promise<boolean>): Promise<void> {
    const deadline = performance.now() + PATIENCE_MS
    while (!(await isTrue())) {
      if (performance.now() > deadline) {
        const { rows } = await historyOf(this.#database.db)
        const open = rows.filter(({ endedAt }) => endedAt === null)
        const states = open.map(
          ({ id, address, nonce, state, waitingFor, minedHash }) =>
            `${id} of ${address}: ${state}, nonce ${nonce}, waiting for ${waitingFor}, mined ${minedHash}`,
        )
        throw new Error([`not true: ${what}`, ...states, ...this.#logs()].join('\n'))
      }
      await sleep(50)
    }
  }

  async #openCount(): Promise<number> {
    const { rows } = await historyOf(this.#database.db).catch(() => ({ rows: [] }))
    return rows.filter((row) => row.endedAt === null && row.minedHash === null).length
  }

  #logs(): string[] {
    return this.#senders.flatMap(({ log }) => log.slice(-40))
  }

  #add(name: string): void {
    this.#figures[name] = (this.#figures[name] ?? 0) + 1
  }
}

export function playKills({ first, count }: Bounds, size: CampaignSize): Promise<Figures> {
  return new KillCampaign(first, size).play(count)
}
