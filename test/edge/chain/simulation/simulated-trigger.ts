/** A trigger of the simulation, controlled through the API as its owner would, and the model's view of it. */
import { runInDurableObject } from 'cloudflare:test'
import type { ChainLog } from '../../../../edge/chain/chain-log.ts'
import type { Finality } from '../../../../edge/chain/finality.ts'
import type { LogFilter } from '../../../../edge/chain/matching/log-filter.ts'
import type { ChainTransaction } from '../../../../shared/action/chain-transaction.ts'
import type { RunRecord, TriggerRecord } from '../../../../shared/wire/trigger.ts'
import type { Random } from '../../../origin/credits/simulation/random.ts'
import {
  PARTIES,
  type RpcLog,
  type TransactionDetails,
} from '../../../doubles/chain-node/scripted-block.ts'
import { type Owner, post, queueOf, script, success } from '../../app.ts'
import type { ChainHistory, WantedTransactions } from './chain-history.ts'
import {
  type Conditions,
  CONTRACTS,
  type ContractEvent,
  EVENTS,
  FACTORY,
  type Traffic,
} from './contracts.ts'
import type { JudgedRun, JudgedTrigger, Tenure } from './judge.ts'

export const CHAIN = 'ethereum'

const FINALITIES: readonly Finality[] = [0, 0, 2, 12, 'safe', 'finalized']

/** The maximum queue size, which no trigger of the simulation reaches. */
const QUEUE_OF_MANY = 10_000

type Wish = {
  contracts: readonly string[]
  event: ContractEvent
  topics: LogFilter['topics']
  start?: number
  conditions?: Conditions
  /** Set if the owner asks for blocks instead of logs. */
  every?: number
  /** True if the owner asks for the contracts of the factory. */
  isOnFactory?: boolean
  /** Set if the owner asks for transactions instead of logs. */
  transactions?: WantedTransactions
}

/** What a trigger may watch. */
export type Wishes = {
  random: Random
  /** Draws the kinds of filters that were added later, so that earlier seeds play as before. Absent for these seeds. */
  variety: Random | undefined
  /** Draws which triggers are on the factory. Absent for the same seeds. */
  factories: Random | undefined
  traffic: Traffic
}

export class SimulatedTrigger implements JudgedTrigger {
  readonly id: string
  readonly tenures: Tenure[] = []
  unwatchedThrough = 0
  isDeleted = false
  readonly #owner: Owner
  readonly #history: ChainHistory
  /** The configured start block, or 0. */
  #start = 0
  /** The maximum number of queued runs. */
  readonly #most: number
  readonly #traffic: Traffic

  private constructor(
    id: string,
    owner: Owner,
    history: ChainHistory,
    { most, traffic }: { most: number; traffic: Traffic },
  ) {
    this.id = id
    this.#owner = owner
    this.#history = history
    this.#most = most
    this.#traffic = traffic
  }

  /** @param head the head that the watcher reports */
  static async create(
    owner: Owner,
    history: ChainHistory,
    head: number,
    wishes: Wishes,
  ): Promise<SimulatedTrigger> {
    const { random, traffic } = wishes
    const wish = someWish(history, head, wishes)
    const finality = random.pick(FINALITIES)
    const most = random.chance(0.3) ? random.integer(3, 8) : QUEUE_OF_MANY
    const { path, init } = post('/api/triggers', {
      name: 'simulated',
      kind: 'chain_event',
      action_code: script(success()),
      usage_api_key: 'usage-key',
      config: configOf(wish),
      options: { finality },
      // One run starts and the others stay queued: execution is not under test here.
      max_runs_per_minute: 1,
      max_queued_runs: most,
    })
    const { id } = await answered<TriggerRecord>(await owner.api(path, init), 201)
    const trigger = new SimulatedTrigger(id, owner, history, { most, traffic })
    trigger.#begin(wish, finality, head)
    return trigger
  }

  get isEnabled(): boolean {
    return !this.isDeleted && this.#tenure.until === undefined
  }

  async disable(): Promise<void> {
    await this.#patch({ enabled: false })
    await this.#end()
  }

  /** @param backfillBranch the hash of the watcher's highest block at its last delivery for the backfill */
  async enable(head: number, backfillBranch?: string): Promise<void> {
    const before = this.#tenure
    const { backfill } = await this.#patch({ enabled: true })
    const left = backfill && !backfill.done ? { from: backfill.at, to: backfill.to } : null
    if (backfill) before.backfillLeftAt = backfill.done ? backfill.to + 1 : backfill.at
    if (backfillBranch !== undefined) before.backfillBranch = backfillBranch
    this.tenures.push({
      filter: before.filter,
      since: Math.max(head + 1, this.#start),
      backfill: left,
      finalities: before.finalities.slice(-1),
    })
  }

  /** Changes the contract, event or filter, from now on or from a given block. */
  async reconfigure(head: number, wishes: Wishes): Promise<void> {
    const wish = someWish(this.#history, head, wishes)
    const { finalities } = this.#tenure
    const before = JSON.stringify((await this.record()).config)
    if (before === JSON.stringify(configOf(wish))) return
    await this.#patch({ config: configOf(wish) })
    await this.#end()
    this.#begin(wish, finalities.at(-1)!, head)
  }

  async changeFinality(random: Random): Promise<void> {
    const finality = random.pick(FINALITIES)
    await this.#patch({ options: { finality } })
    this.#tenure.finalities.push(finality)
  }

  async remove(): Promise<void> {
    await this.#owner.api(`/api/triggers/${this.id}`, { method: 'DELETE' })
    this.isDeleted = true
  }

  /** Empties the queue if it is at least half full. */
  async makeRoom(): Promise<void> {
    if (!this.isEnabled || this.#most >= QUEUE_OF_MANY) return
    const { stats } = await this.record()
    if (stats && stats.queued * 2 >= this.#most) await this.purge()
  }

  async purge(): Promise<void> {
    const { path, init } = post(`/api/triggers/${this.id}/purge`, {})
    await this.#owner.api(path, init)
  }

  async record(): Promise<TriggerRecord> {
    return answered(await this.#owner.api(`/api/triggers/${this.id}`), 200)
  }

  /** Returns all runs as the owner reads them. The event of each run is read from the trigger's Durable Object. */
  async runs(): Promise<JudgedRun[]> {
    const kept = await this.#rows()
    const shown = new Map<string, RunRecord>()
    for (let cursor: string | null = ''; cursor !== null;) {
      const query: string = `limit=100${cursor && `&cursor=${cursor}`}`
      const page: { runs: RunRecord[]; next_cursor: string | null } = await answered(
        await this.#owner.api(`/api/triggers/${this.id}/runs?${query}`),
        200,
      )
      for (const run of page.runs) shown.set(run.id, run)
      cursor = page.next_cursor
    }
    return kept.map(({ suffix, sequence, log }) => {
      const run = shown.get(`${this.id}${suffix}`)
      if (!run) throw new Error(`run ${sequence} is not in the history`)
      const event = run.input['event'] as Record<string, unknown>
      if (event['every'] !== undefined)
        return {
          sequence,
          identity: `block ${String(event['block_hash'])}`,
          block: event['block_number'] as number,
          index: 0,
          reorged: run.reorged,
          decode: 'exact',
          decoded: { hash: event['block_hash'], timestamp: event['block_timestamp'] },
        }
      if (log.transaction) {
        const sent = event as unknown as ChainTransaction
        return {
          sequence,
          identity: `transaction ${sent.transaction_hash} ${sent.status === 'success'}`,
          block: sent.block_number,
          index: sent.transaction_index,
          reorged: run.reorged,
          decode: 'exact',
          decoded: {
            from: sent.from.toLowerCase(),
            to: sent.to?.toLowerCase() ?? null,
            value: sent.value,
            input: sent.input,
            gas_used: sent.gas_used,
          },
        }
      }
      const { transactionHash, address, topics, data, ordinal } = log
      return {
        sequence,
        identity: `${[transactionHash, address, topics.join(), data].join(' ')} ${ordinal}`,
        block: event['block_number'] as number,
        index: event['log_index'] as number,
        reorged: run.reorged,
        decode: event['decode'] as string,
        decoded: event['decoded'],
      }
    })
  }

  #rows() {
    return runInDurableObject(queueOf(this.id), (_, { storage }) =>
      storage.sql
        .exec<{ suffix: string; sequence: number; body: ArrayBuffer }>(
          'SELECT suffix, sequence, body FROM runs ORDER BY sequence',
        )
        .toArray()
        .map(({ body, ...row }) => ({
          ...row,
          log: JSON.parse(new TextDecoder().decode(body)) as ChainLog,
        })),
    )
  }

  get #tenure(): Tenure {
    return this.tenures.at(-1)!
  }

  #begin(
    { contracts, event, topics, start, conditions, every, isOnFactory, transactions }: Wish,
    finality: Finality,
    head: number,
  ): void {
    this.#start = start ?? 0
    const isPast = start !== undefined && start <= head
    this.tenures.push({
      filter: {
        addresses: contracts,
        topic0: event.topic0,
        topics,
        ...(every !== undefined && { every }),
        ...(transactions && { transactions }),
        ...(isOnFactory && { createdFrom: start ?? head + 1 }),
        ...(conditions && {
          holds: (log: RpcLog) => conditions.holds(this.#traffic.decodedOf(log)),
        }),
      },
      since: Math.max(head + 1, this.#start),
      backfill: isPast ? { from: start, to: head } : null,
      finalities: [finality],
    })
  }

  async #end(): Promise<void> {
    this.#tenure.until = this.#history.moment
    this.unwatchedThrough = (await this.#rows()).at(-1)?.sequence ?? 0
  }

  async #patch(change: object): Promise<TriggerRecord> {
    const { path, init } = post(`/api/triggers/${this.id}`, change)
    return answered(await this.#owner.api(path, { ...init, method: 'PATCH' }), 200)
  }
}

/** Contracts without logs, too many for one query. */
const QUIET = Array.from(
  { length: 1_500 },
  (_, at) => `0x${(at + 0x1000).toString(16).padStart(40, '0')}`,
)

function someWish(
  history: ChainHistory,
  head: number,
  { random, variety, factories }: Wishes,
): Wish {
  const event = random.pick(EVENTS)
  const wish: Wish = {
    contracts: [random.pick(CONTRACTS)],
    event,
    topics: random.pick(event.filters),
    ...(variety?.chance(0.4) && { conditions: variety.pick(event.conditions) }),
  }
  if (variety?.chance(0.3))
    wish.contracts = [
      ...CONTRACTS.slice(variety.integer(0, 1)),
      ...(variety.chance(0.5) ? QUIET : []),
    ]
  if (variety?.chance(0.2)) wish.every = variety.pick([1, 3, 10])
  else if (variety?.chance(0.25)) wish.transactions = someTransactions(variety)
  else if (factories?.chance(0.35)) wish.isOnFactory = true
  if (random.chance(0.4)) return wish
  const { firstBlock } = history.chain
  const start = random.chance(0.2)
    ? head + random.integer(1, 10)
    : Math.max(firstBlock, head - random.integer(0, 80))
  return { ...wish, start }
}

function someTransactions(variety: Random): WantedTransactions {
  const parties = () => PARTIES.slice(variety.integer(0, 3))
  const isTo = variety.chance(0.6)
  return {
    ...(isTo && { to: parties() }),
    ...((!isTo || variety.chance(0.3)) && { from: parties() }),
    ...(variety.chance(0.2) && { selector: '0x00000001' }),
    ...(variety.chance(0.2) && { min_value: '6' }),
    ...(variety.chance(0.5) && { status: variety.pick(['success', 'reverted', 'any']) }),
  }
}

/** The details of a transaction as an action sees them. */
export function shownDetails({ from, to, value, input, gasUsed }: TransactionDetails) {
  return { from, to, value: String(Number(value)), input, gas_used: Number(gasUsed) }
}

function configOf(wish: Wish) {
  const { contracts, event, topics, start, conditions, every, isOnFactory, transactions } = wish
  if (transactions)
    return {
      chain: CHAIN,
      transactions,
      ...(start !== undefined && { start_block: start }),
    }
  if (every !== undefined)
    return {
      chain: CHAIN,
      blocks: { every },
      ...(start !== undefined && { start_block: start }),
    }
  return {
    chain: CHAIN,
    ...contractsOf(contracts, isOnFactory),
    event_signature: event.signature,
    ...(topics.length > 0 && { topic_filters: topics }),
    ...(start !== undefined && { start_block: start }),
    ...(conditions && { where: conditions.where }),
  }
}

function contractsOf(contracts: readonly string[], isOnFactory = false) {
  if (isOnFactory)
    return { factory: { address: FACTORY.address, event: FACTORY.event, parameter: 'made' } }
  return contracts.length === 1 ? { contract_address: contracts[0] } : { addresses: contracts }
}

async function answered<Body>(response: Response, status: number): Promise<Body> {
  if (response.status !== status)
    throw new Error(`answered ${response.status}: ${await response.text()}`)
  return response.json()
}
