import { CHAIN_EVENT_ADDRESSES_MAX, QUEUED_BYTES_MAX } from '../../shared/limits.ts'
import { type ChainConfig, isOnBlocks, isOnLogs, readChainConfig } from '../chain/chain-config.ts'
import type { ChainEventConfig } from '../chain/chain-event-config.ts'
import type { BlockIntervalConfig } from '../chain/block-interval-config.ts'
import type { TransactionsConfig } from '../chain/transactions-config.ts'
import type { ChainLog } from '../chain/chain-log.ts'
import type { Chains } from '../../shared/config/chain-settings.ts'
import type { DecodePlan } from '../chain/decoding/decoded-log.ts'
import { logRunSuffix } from '../chain/log-run-suffix.ts'
import type { DeliveryResponse, LogDelivery } from '../chain/subscription.ts'
import type { EventRules } from './event-rules.ts'
import type { FiredLogs } from './fired-logs.ts'
import type { BlockFiring, ChainEventFiring, TransactionFiring } from './firing.ts'
import type { Intake } from './intake.ts'
import type { QueueSize } from './queue-size.ts'
import type { TriggerRow } from './records.ts'
import { planLogDecoding } from './plan-log-decoding.ts'
import type { RunStore } from './run-store.ts'
import type { TriggerState } from './trigger-state.ts'
import { advanceSubscription, type SubscriptionState } from './subscription-state.ts'

const FACTORY_FULL = `The factory has created more than ${CHAIN_EVENT_ADDRESSES_MAX} contracts. Set a later start_block, or select contracts with addresses, and enable the trigger.`

type LogIntakeOptions = {
  state: TriggerState
  store: Pick<RunStore, 'has'>
  intake: Pick<Intake, 'queueNow'>
  fired: FiredLogs
  rules: Pick<EventRules, 'apply'>
  queueSize: QueueSize
  /** Disables the trigger and reports it. Called in a transaction. */
  disable: (reason: string) => void
  chains: () => Chains
  transaction: (work: () => void) => void
  sync: () => Promise<void>
  /** Called directly after runs are written. Must set the alarm, which then belongs to the same transaction. */
  inserted: () => void
  committed: () => void
  /** Called when a queue that had no room for logs has room again. */
  roomMade: (watch: SubscriptionState, triggerId: string) => void
}

/**
 * Creates one run per event, even if the chain watcher delivers the event twice. The runs, their reorg marks and the
 * delivery progress are written in one transaction. If the object is killed, the delivery is stored either completely
 * or not at all, and the watcher repeats the delivery.
 */
export class LogIntake {
  readonly #options: LogIntakeOptions
  #config: { text: string; value: ChainConfig } | undefined
  #isWatcherWaiting = false

  constructor(options: LogIntakeOptions) {
    this.#options = options
  }

  async deliver(delivery: LogDelivery): Promise<DeliveryResponse> {
    const { state, chains, sync, committed } = this.#options
    const { current: trigger, watch } = state
    const chain = watch && chains()[watch.chain]
    if (!trigger?.enabled || !chain || watch.generation !== delivery.generation) {
      await this.#markReorged(delivery, watch?.chain)
      return { state: 'over' }
    }
    if (delivery.isFactoryFull) {
      await this.#disable(delivery)
      return { state: 'over' }
    }
    const count = this.#queueLogs(trigger, watch, chain.chainId, delivery)
    await sync()
    committed()
    if (count < delivery.logs.length) {
      this.#isWatcherWaiting = true
      this.notifyIfRoom()
    }
    return { state: 'taken', count }
  }

  async #disable({ reorgedAbove }: LogDelivery): Promise<void> {
    const { disable, fired, inserted, sync, transaction } = this.#options
    transaction(() => {
      if (reorgedAbove !== undefined) fired.markReorged(reorgedAbove)
      disable(FACTORY_FULL)
      // The alarm updates the index and sends the report.
      inserted()
    })
    await sync()
  }

  /** Includes disabled and changed triggers, because the removed logs may have fired runs before the change. */
  async #markReorged({ chain, reorgedAbove }: LogDelivery, own: string | undefined): Promise<void> {
    const { fired, transaction, sync } = this.#options
    if (reorgedAbove === undefined || chain === undefined || chain !== own) return
    transaction(() => fired.markReorged(reorgedAbove))
    await sync()
  }

  /**
   * Notifies the watcher when half of a previously full queue is free again. Called when a run leaves the queue, or
   * when the limits change.
   */
  notifyIfRoom(): void {
    if (!this.#isWatcherWaiting) return
    const { queueSize, state, roomMade } = this.#options
    const { current: trigger, watch } = state
    const isFull = trigger && queueSize.queued > trigger.maxQueuedRuns / 2
    if (isFull || queueSize.bytes > QUEUED_BYTES_MAX / 2) return
    this.#isWatcherWaiting = false
    if (trigger && watch) roomMade(watch, trigger.triggerId)
  }

  #queueLogs(
    trigger: TriggerRow,
    watch: SubscriptionState,
    chainId: number,
    delivery: LogDelivery,
  ): number {
    const { fired, intake, inserted, rules, state, store } = this.#options
    const { logs, reorgedAbove } = delivery
    const config = this.#configOf(trigger)
    let { learned } = watch
    const filtered = new Set<string>()
    const suffixes = logs.map((log) => logRunSuffix(trigger.triggerId, log))
    const arrivalOf = (log: ChainLog) => {
      if (isOnBlocks(config)) return blockArrival(config, chainId, log)
      if (!isOnLogs(config)) return transactionArrival(config, chainId, log)
      const planned = planLogDecoding(config.signature, log, learned)
      learned = planned.learned
      return logArrival(config, chainId, log, planned.plan)
    }
    const firings = logs.map((log, at) => ({
      suffix: suffixes[at]!,
      arrival: () => {
        const arrival = arrivalOf(log)
        const event = rules.apply(trigger, arrival.firing, arrival.body)
        if (event.state === 'accepted') return { ...arrival, ...event }
        filtered.add(suffixes[at]!)
        return undefined
      },
    }))
    const known = new Set<string>()
    const isKnown = (suffix: string) => {
      const exists = store.has(suffix) || fired.has(suffix)
      if (exists) known.add(suffix)
      return exists
    }
    const recordProgress = (count: number) => {
      if (reorgedAbove !== undefined) fired.markReorged(reorgedAbove)
      const next = advanceSubscription({ ...watch, learned }, delivery, count)
      for (const [at, suffix] of suffixes.slice(0, count).entries())
        if (!filtered.has(suffix))
          fired.recordOnChain(suffix, logs[at]!.blockNumber, known.has(suffix), next.settledThrough)
      if (delivery.settledThrough !== undefined) fired.deleteThrough(delivery.settledThrough)
      state.updateWatch(next)
      if (count > 0) inserted()
    }
    return intake.queueNow(firings, recordProgress, isKnown)
  }

  /** Cached so that the JSON is not parsed for every delivery. */
  #configOf({ config: text }: TriggerRow): ChainConfig {
    if (this.#config?.text !== text)
      this.#config = { text, value: readChainConfig(JSON.parse(text)) }
    return this.#config.value
  }
}

const encoder = new TextEncoder()

function logArrival(config: ChainEventConfig, chainId: number, log: ChainLog, plan: DecodePlan) {
  const { chain, signatureText } = config
  const firing: ChainEventFiring = {
    source: 'chain_event',
    chain,
    chainId,
    signature: signatureText,
    plan,
  }
  return { firing: JSON.stringify(firing), body: encoder.encode(JSON.stringify(log)) }
}

function blockArrival(
  { chain, filter: { every } }: BlockIntervalConfig,
  chainId: number,
  mark: ChainLog,
) {
  const firing: BlockFiring = { source: 'chain_event', chain, chainId, every }
  return { firing: JSON.stringify(firing), body: encoder.encode(JSON.stringify(mark)) }
}

function transactionArrival({ chain }: TransactionsConfig, chainId: number, mark: ChainLog) {
  const firing: TransactionFiring = { source: 'chain_event', chain, chainId, of: 'transaction' }
  return { firing: JSON.stringify(firing), body: encoder.encode(JSON.stringify(mark)) }
}
