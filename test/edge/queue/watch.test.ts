import { describe, expect, it } from 'vitest'
import type { Subscription } from '../../../edge/chain/subscription.ts'
import type { TriggerRow } from '../../../edge/queue/records.ts'
import type { TriggerChange } from '../../../edge/queue/trigger-state.ts'
import { type KnownHead, planSubscriptionChange } from '../../../edge/queue/subscription-change.ts'
import { SubscriptionOutbox } from '../../../edge/queue/subscription-outbox.ts'
import {
  startSubscription,
  newSubscriptionState,
  type SubscriptionState,
} from '../../../edge/queue/subscription-state.ts'
import { TRANSACTION_START_BLOCKS_MAX } from '../../../shared/limits.ts'
import type { TriggerOptions } from '../../../shared/wire/trigger.ts'

const CONFIG = {
  chain: 'base',
  contract_address: '0xdac17f958d2ee523a2206206994597c13d831ec7',
  event_signature: 'Transfer(address,address,uint256)',
  start_block: 900,
}
const OTHER = { ...CONFIG, contract_address: CONFIG.contract_address.replace('d', 'e') }
const row = (
  over: { enabled?: boolean; options?: TriggerOptions; config?: Record<string, unknown> } = {},
) => ({
  enabled: over.enabled ?? true,
  config: JSON.stringify(over.config ?? CONFIG),
  options: JSON.stringify(over.options ?? {}),
})
/** A watch that started at block 1,000, with half of its backfill done. */
const BEGUN: SubscriptionState = {
  ...startSubscription(newSubscriptionState('base'), 900, 1_000),
  backfill: { from: 900, to: 1_000, at: 950, done: false },
  toldAt: 1_040,
  settledThrough: 1_030,
}
const head = (over: Partial<KnownHead> = {}): KnownHead => ({
  chain: 'base',
  finality: undefined,
  head: 2_000,
  ...over,
})

describe('a PATCH of a chain event', () => {
  const decided = (change: TriggerChange, of = row(), known?: KnownHead, watch = BEGUN) => {
    const next = planSubscriptionChange(of, watch, change, known)
    return next.state === 'decided' ? next.watch : next.state
  }

  it.each<[string, TriggerChange, Parameters<typeof row>[0]]>([
    ['of its name', { name: 'another' }, {}],
    ['with the config that it has', { config: { ...CONFIG } }, {}],
    ['with its config in other words', { config: { ...CONFIG, start_block: '0x384' } }, {}],
    ['that enables what is enabled', { enabled: true }, {}],
    ['to another depth', { options: { finality: 3 } }, {}],
    ['to the latest block', { options: { finality: 'latest' } }, { enabled: false }],
    ['to a tag, while it is disabled', { options: { finality: 'safe' } }, { enabled: false }],
    ['that keeps its tag', { options: { finality: 'safe' } }, { options: { finality: 'safe' } }],
    ['that disables it', { enabled: false }, {}],
  ])('%s keeps pending events and sends nothing to the node', (_, change, of) => {
    expect(decided(change, row(of))).toEqual(BEGUN)
  })

  it('of its config starts again from now, with a backfill from its start block', () => {
    expect(decided({ config: OTHER })).toBe('asks_head')
    expect(decided({ config: OTHER }, row(), head())).toMatchObject({
      generation: 2,
      since: 2_001,
      toldAt: null,
      backfill: { from: 900, to: 2_000, at: 900, done: false },
      left: [],
      settledThrough: 1_030,
    })
  })

  it('to another chain leaves the previous one, and forgets its blocks', () => {
    const config = { ...CONFIG, chain: 'ethereum', start_block: 5_000 }
    const known = head({ chain: 'ethereum' })
    const there = decided({ config }, row(), known) as SubscriptionState
    expect(there).toMatchObject({ chain: 'ethereum', left: ['base'], generation: 2, since: 5_000 })
    expect(there).toMatchObject({ backfill: null, settledThrough: -1 })
  })

  it('with a head of another chain or finality requests the head again', () => {
    expect(decided({ config: OTHER }, row(), head({ chain: 'bsc' }))).toBe('asks_head')
    expect(decided({ config: OTHER }, row(), head({ finality: 'safe' }))).toBe('asks_head')
  })

  it('that enables it again starts from now, and resumes its backfill', () => {
    const disabled = row({ enabled: false })
    expect(decided({ enabled: true }, disabled)).toBe('asks_head')
    expect(decided({ enabled: true }, disabled, head())).toMatchObject({
      generation: 2,
      since: 2_001,
      toldAt: null,
      backfill: { from: 900, to: 1_000, at: 950, done: false },
    })
  })

  it('cannot start a trigger on transactions far before the head', () => {
    const to = `0x${'1'.repeat(40)}`
    const config = { chain: 'base', transactions: { to }, start_block: 9 }
    const far = head({ head: 10 + TRANSACTION_START_BLOCKS_MAX })
    expect(planSubscriptionChange(row(), BEGUN, { config }, far)).toEqual({
      state: 'start_too_early',
      earliest: 10,
    })
    const near = head({ head: 9 + TRANSACTION_START_BLOCKS_MAX })
    expect(decided({ config }, row(), near)).toMatchObject({ backfill: { from: 9 } })
    // A trigger that had already started keeps its position.
    const disabled = row({ enabled: false, config })
    expect(decided({ enabled: true }, disabled, far)).toMatchObject({ generation: 2 })
  })

  it('of its config while it is disabled takes effect when it is enabled', () => {
    const disabled = row({ enabled: false })
    const waiting = decided({ config: OTHER }, disabled) as SubscriptionState
    expect(waiting).toMatchObject({ since: null, backfill: null, generation: 1 })
    const enabled = decided({ enabled: true }, disabled, head(), waiting)
    expect(enabled).toMatchObject({ since: 2_001, generation: 2, backfill: { from: 900, at: 900 } })
  })

  it('to a tag checks that the chain supports it, and keeps its position', () => {
    const change = { options: { finality: 'finalized' } } as const
    expect(decided(change)).toBe('asks_head')
    expect(decided(change, row(), head({ finality: 'finalized' }))).toEqual(BEGUN)
  })

  it('of the marks in its signature forgets marks that were inferred before', () => {
    const watch = {
      ...BEGUN,
      learned: { count: 2, indexed: [0, 1], confident: true, readings: [], seen: [] },
    }
    const event_signature = 'Transfer(address indexed a, address indexed b, uint256)'
    const next = decided({ config: { ...CONFIG, event_signature } }, row(), undefined, watch)
    expect(next).toEqual(BEGUN)
    expect(decided({ name: 'another' }, row(), undefined, watch)).toEqual(watch)
  })
})

/** A trigger row, and watchers that record, fail or hang, as the test decides. */
class Watchers {
  readonly row = { triggerId: 't', version: 5, watchStale: true, removedAt: null as number | null }
  watch: SubscriptionState = BEGUN
  wanted: Subscription | undefined = { triggerId: 't', version: 5 } as Subscription
  readonly told: string[] = []
  fails = false
  readonly failures: number[] = []
  readonly note = new SubscriptionOutbox({
    state: this.#state(),
    subscription: () => this.wanted,
    watcher: (chain) => ({
      watch: async ({ version }) => this.#tell(`${chain} watch ${version}`),
      unwatch: async (_, version) => this.#tell(`${chain} unwatch ${version}`),
    }),
    now: () => 0,
    sleep: (_, ended) =>
      new Promise((resolve) => ended.addEventListener('abort', () => resolve(), { once: true })),
    log: (_, { failures }) => this.failures.push(failures as number),
  })

  #state() {
    const of = () => this
    return {
      get row() {
        return of().row as unknown as TriggerRow
      },
      get watch() {
        return of().watch
      },
      markWatcherUpdated: (version: number) => {
        if (version === this.row.version) this.row.watchStale = false
      },
    }
  }

  #tell(what: string): void {
    if (this.fails) throw new Error('away')
    this.told.push(what)
  }
}

describe('the watcher of a chain', () => {
  it('is notified of the subscription only once', async () => {
    const watchers = new Watchers()
    await Promise.all([watchers.note.flush(), watchers.note.flush()])
    await watchers.note.flush()
    expect(watchers.told).toEqual(['base watch 5'])
  })

  it('is notified when the subscription ends', async () => {
    const watchers = new Watchers()
    watchers.wanted = undefined
    await watchers.note.flush()
    expect(watchers.told).toEqual(['base unwatch 5'])
  })

  it('of a previous chain is notified first', async () => {
    const watchers = new Watchers()
    watchers.watch = { ...BEGUN, chain: 'bsc', left: ['base', 'ethereum'] }
    await watchers.note.flush()
    expect(watchers.told).toEqual(['base unwatch 5', 'ethereum unwatch 5', 'bsc watch 5'])
  })

  it('is notified by the alarm after a failure, and deletion waits for that', async () => {
    const watchers = new Watchers()
    watchers.fails = true
    await watchers.note.flush()
    await expect(watchers.note.flushOrThrow()).rejects.toThrow('is still pending')
    expect(watchers.failures).toEqual([1, 2])
    watchers.fails = false
    const work: Promise<void>[] = []
    expect(watchers.note.runDue(1_000, (each) => work.push(each))).toBe(10_000)
    watchers.note.runDue(20_000, (each) => work.push(each))
    await Promise.all(work)
    expect(watchers.told).toEqual(['base watch 5'])
    await watchers.note.flushOrThrow()
    expect(watchers.note.runDue(30_000, () => {})).toBeUndefined()
  })

  it('is notified of a change during an earlier notification', async () => {
    const watchers = new Watchers()
    const telling = watchers.note.flush()
    watchers.row.version = 6
    await telling
    expect(watchers.told).toEqual(['base watch 5', 'base watch 5'])
    expect(watchers.row.watchStale).toBe(false)
  })

  it('can be notified again without a change, in case it lost the subscription', async () => {
    const watchers = new Watchers()
    watchers.row.watchStale = false
    await watchers.note.resend()
    expect(watchers.told).toEqual(['base watch 5'])
  })
})
