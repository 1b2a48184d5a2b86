/** Caches the trigger's row in memory, and is the only code that writes the row. */
import { eq } from 'drizzle-orm'
import { withoutUndefined } from '../../shared/json/without-undefined.ts'
import { SCHEDULE_CONCURRENCY, WEBHOOK_CONCURRENCY } from '../../shared/limits.ts'
import type { TriggerKind, TriggerOptions } from '../../shared/wire/trigger.ts'
import { scheduleOf } from '../schedule/schedule.ts'
import { scheduleConfig } from '../schedule/schedule-config.ts'
import { noRejections } from '../sources/rejections.ts'
import type { SealedSecret } from '../sources/source-change.ts'
import { AddressListRow } from './address-list-row.ts'
import type { RevisionRow, TriggerRow } from './records.ts'
import type { QueueDatabase } from './run-store.ts'
import { hasRunKey, insertUnfinishedRuns } from './run-key-rows.ts'
import * as schema from './schema.ts'
import type { SubscriptionState } from './subscription-state.ts'

export type NewTrigger = {
  triggerId: string
  ownerId: string
  name: string
  kind: TriggerKind
  config: Record<string, unknown>
  options: TriggerOptions
  enabled: boolean
  actionCode: string
  actionCid: string
  defaultParams: Record<string, unknown>
  maxRunsPerMinute: number
  maxQueuedRuns: number
  sealedUsageKey: Uint8Array
  /** First version of the record. */
  version: number
  /** Subscription of a chain event trigger. Absent for other kinds. */
  watch?: SubscriptionState
  /** Absent without `options.source`. A trigger with a source but without a secret rejects all webhooks. */
  secret?: SealedSecret
}

/** Absent fields stay unchanged. */
export type TriggerChange = Partial<
  Omit<NewTrigger, 'triggerId' | 'ownerId' | 'kind' | 'version' | 'watch'>
>

/** Fields that the service updates, independently of changes by the owner. */
type ServiceFields = Partial<
  Pick<
    TriggerRow,
    | 'refusals'
    | 'refusalsSince'
    | 'originAwaySince'
    | 'reportedHold'
    | 'nextTickAt'
    | 'prunedThrough'
    | 'indexCheckedAt'
    | 'watch'
    | 'keyed'
    | 'rejections'
    | 'failureRateThreshold'
    | 'queueShareThreshold'
  >
>

const SUSPENDED_REASON =
  'The operator of this service suspended this trigger. Contact the operator; queued runs start when it is resumed.'

export class TriggerState {
  readonly #storage: DurableObjectStorage
  readonly #db: QueueDatabase
  #row: TriggerRow | undefined
  readonly #addresses: AddressListRow
  /**
   * Parsed `watch` column with the text from which it was parsed. Cached, because every delivery of logs needs the
   * parsed value.
   */
  #watch: { text: string; value: SubscriptionState } | undefined

  constructor(storage: DurableObjectStorage, db: QueueDatabase) {
    this.#storage = storage
    this.#db = db
    this.#addresses = new AddressListRow(db)
  }

  load(): void {
    const stored = this.#db.select().from(schema.trigger).get()
    if (stored?.kind === 'chain_event') this.#addresses.load()
    this.#row = this.#whole(stored)
  }

  /** The trigger's row, or `undefined` if the trigger does not exist or was deleted. */
  get current(): TriggerRow | undefined {
    return this.#row?.removedAt === null ? this.#row : undefined
  }

  /** The trigger's row, even if the trigger is deleted but still in the index. */
  get row(): TriggerRow | undefined {
    return this.#row
  }

  /** Subscription of a chain event trigger, even if the trigger is deleted but its watcher may still serve it. */
  get watch(): SubscriptionState | undefined {
    const text = this.#row?.watch ?? null
    if (text === null) return undefined
    if (this.#watch?.text !== text)
      this.#watch = { text, value: JSON.parse(text) as SubscriptionState }
    return this.#watch.value
  }

  create(trigger: NewTrigger, now: number): void {
    this.#storage.transactionSync(() => {
      const { name, kind, triggerId, ownerId, enabled, maxRunsPerMinute, maxQueuedRuns } = trigger
      const stored = this.#db
        .insert(schema.trigger)
        .values({
          id: 1,
          triggerId,
          ownerId,
          name,
          kind,
          enabled,
          version: trigger.version,
          maxRunsPerMinute,
          maxQueuedRuns,
          config: this.#addresses.detach(trigger.config),
          options: JSON.stringify(trigger.options),
          concurrency: concurrencyOf(kind, trigger.options),
          keyed: hasRunKey(trigger.options),
          revision: this.#addRevision(trigger),
          usageKey: this.#addUsageKey(trigger.sealedUsageKey),
          createdAt: now,
          updatedAt: now,
          indexStale: true,
          indexCheckedAt: now,
          nextTickAt: enabled ? firstTick(trigger, now) : null,
          watch: trigger.watch ? JSON.stringify(trigger.watch) : null,
          webhookSecret: trigger.secret?.sealed ?? null,
          rejections: trigger.options.source === undefined ? null : noRejections(now),
          watchStale: trigger.watch !== undefined,
        })
        .returning()
        .get()
      this.#row = this.#whole(stored)
    })
  }

  /**
   * Applies an owner's change in one transaction. Increments the version of the record, and marks the index as out of
   * date. For a chain event, also marks the watcher as out of date.
   * @param webhookSecret the encrypted secret to store; undefined if it stays the same
   * @returns false if there was nothing to change
   */
  change(
    change: TriggerChange,
    now: number,
    watch = this.watch,
    webhookSecret?: string | null,
  ): boolean {
    const row = this.#requireTrigger()
    if (Object.values(change).every((value) => value === undefined)) return false
    const { name, enabled, options, maxRunsPerMinute, maxQueuedRuns } = change
    // An unchanged configuration counts as no change, so that a tick that is due at this moment is not cancelled.
    const config = JSON.stringify(change.config) === row.config ? undefined : change.config
    const set: Partial<TriggerRow> = {
      ...withoutUndefined({ name, enabled, maxRunsPerMinute, maxQueuedRuns }),
      ...(enabled === undefined ? {} : { disabledReason: null, refusals: 0, refusalsSince: null }),
    }
    if (options) {
      set.options = JSON.stringify(options)
      set.concurrency = concurrencyOf(row.kind, options)
    }
    if (webhookSecret !== undefined) {
      set.webhookSecret = webhookSecret
      set.rejections = webhookSecret === null ? null : noRejections(now)
    }
    const isStarting = (enabled ?? row.enabled) && (config !== undefined || !row.enabled)
    const isStopping = enabled === false
    if (isStarting) {
      const { kind, triggerId } = row
      set.nextTickAt = firstTick({ kind, triggerId, config: config ?? JSON.parse(row.config) }, now)
    }
    if (isStopping) set.nextTickAt = null
    if (watch) Object.assign(set, { watch: JSON.stringify(watch), watchStale: true })
    this.#storage.transactionSync(() => {
      if (config) set.config = this.#addresses.detach(config)
      // If the chain has changed, the fired logs are deleted, because their block numbers belong to the previous chain.
      if (watch?.chain !== this.watch?.chain) this.#db.delete(schema.firedLogs).run()
      if (options && hasRunKey(options) && !row.keyed) {
        insertUnfinishedRuns(this.#storage.sql)
        set.keyed = true
      }
      if (change.actionCode !== undefined || change.defaultParams !== undefined)
        set.revision = this.#addRevision({ ...this.#revisionOf(row), ...withoutUndefined(change) })
      if (change.sealedUsageKey) {
        set.usageKey = this.#addUsageKey(change.sealedUsageKey)
        // Earlier refusals concerned the old usage key, so they no longer count.
        Object.assign(set, { refusals: 0, refusalsSince: null })
      }
      this.#write({ ...set, updatedAt: now, version: row.version + 1, indexStale: true })
    })
    return true
  }

  /** Idempotent. Disables the trigger until `liftSuspension`: an owner's change must not enable it. */
  suspend(now: number): void {
    const { enabled, suspendedFrom } = this.#requireTrigger()
    if (suspendedFrom !== null) return
    this.#storage.transactionSync(() => {
      this.disable(SUSPENDED_REASON, now)
      this.#write({ suspendedFrom: enabled ? 'enabled' : 'disabled' })
    })
  }

  /**
   * Leaves the trigger disabled.
   * @returns the state before the suspension; null if the trigger is not suspended
   */
  liftSuspension(now: number): 'enabled' | 'disabled' | null {
    const { suspendedFrom, version } = this.#requireTrigger()
    if (suspendedFrom === null) return null
    const change = { updatedAt: now, version: version + 1, indexStale: true }
    this.#write({ ...change, suspendedFrom: null, disabledReason: null })
    return suspendedFrom
  }

  disable(reason: string, now: number): void {
    const { version, kind } = this.#requireTrigger()
    const disabled = { enabled: false, disabledReason: reason, nextTickAt: null }
    const watchStale = kind === 'chain_event'
    this.#write({ ...disabled, watchStale, updatedAt: now, version: version + 1, indexStale: true })
  }

  /**
   * Updates fields on behalf of the service. Bypasses the query builder, which takes ten times as long as the statement
   * itself, because ticks wait for the update.
   */
  updateFields(fields: ServiceFields): void {
    const row = this.#row
    if (!row) throw new Error('this object has no trigger')
    const names = Object.keys(fields) as (keyof ServiceFields)[]
    const columns = names.map((name) => `${schema.trigger[name].name} = ?`)
    const values = names.map((name) => sqlValue(fields[name]))
    this.#storage.sql.exec(`UPDATE trigger SET ${columns.join(', ')}`, ...values)
    this.#row = { ...row, ...fields }
  }

  /**
   * Marks the trigger as deleted, and deletes its usage keys and webhook secret immediately. From now on, callers get the response for an
   * unknown trigger ID.
   */
  remove(now: number): void {
    const { version, kind } = this.#requireTrigger()
    const watchStale = kind === 'chain_event'
    this.#storage.transactionSync(() => {
      this.#db.delete(schema.sealedUsageKeys).run()
      this.#write({
        removedAt: now,
        enabled: false,
        webhookSecret: null,
        version: version + 1,
        indexStale: true,
        watchStale,
      })
    })
  }

  markIndexed(version: number): void {
    if (this.#row?.version === version) this.#write({ indexStale: false })
  }

  updateWatch(watch: SubscriptionState): void {
    const text = JSON.stringify(watch)
    this.updateFields({ watch: text })
    this.#watch = { text, value: watch }
  }

  /**
   * Called when the chain watcher has the given version of the subscription, and the watchers of previous chains have
   * dropped the trigger.
   */
  markWatcherUpdated(version: number): void {
    if (this.#row?.version !== version) return
    if (this.watch!.left.length > 0) this.updateWatch({ ...this.watch!, left: [] })
    this.#write({ watchStale: false })
  }

  /**
   * @param indexedVersion version of the trigger in the index. If it is higher than the object's version, the object's
   * version is raised above it, because the index rejects older versions.
   */
  reindex(indexedVersion: number): void {
    const { version } = this.#requireTrigger()
    this.#write({
      version: indexedVersion > version ? indexedVersion + 1 : version,
      indexStale: true,
    })
  }

  forget(): void {
    this.#row = undefined
  }

  get revision() {
    return this.#revisionOf(this.#requireTrigger())
  }

  get actionCid(): string {
    return this.revision.actionCid
  }

  sealedUsageKey(id: number): Uint8Array | undefined {
    const [row] = this.#storage.sql
      .exec<{ sealed: ArrayBuffer }>('SELECT sealed FROM usage_keys WHERE id = ?', id)
      .toArray()
    return row && new Uint8Array(row.sealed)
  }

  #requireTrigger(): TriggerRow {
    const row = this.current
    if (!row) throw new Error('this object has no trigger')
    return row
  }

  #write(set: Partial<TriggerRow>): void {
    this.#row = this.#whole(this.#db.update(schema.trigger).set(set).returning().get())
  }

  /** Returns a stored row with the whole config. */
  #whole<Row extends TriggerRow | undefined>(row: Row): Row {
    return row && { ...row, config: this.#addresses.attach(row.config) }
  }

  #addRevision(source: Pick<NewTrigger, 'actionCid' | 'actionCode' | 'defaultParams'>): number {
    const { actionCid, actionCode, defaultParams } = source
    return this.#db
      .insert(schema.revisions)
      .values({ actionCid, actionCode, defaultParams: JSON.stringify(defaultParams) })
      .returning()
      .get().revision
  }

  #revisionOf(row: TriggerRow) {
    const { revisions } = schema
    const found: RevisionRow = this.#db
      .select()
      .from(revisions)
      .where(eq(revisions.revision, row.revision))
      .get()!
    return { ...found, defaultParams: JSON.parse(found.defaultParams) as Record<string, unknown> }
  }

  #addUsageKey(sealed: Uint8Array): number {
    const values = { sealed: Buffer.from(sealed) }
    return this.#db.insert(schema.sealedUsageKeys).values(values).returning().get().id
  }
}

function sqlValue(value: string | number | boolean | null | undefined): string | number | null {
  return typeof value === 'boolean' ? Number(value) : (value ?? null)
}

function concurrencyOf(kind: TriggerKind, { concurrency }: TriggerOptions): number {
  return concurrency ?? (kind === 'schedule' ? SCHEDULE_CONCURRENCY : WEBHOOK_CONCURRENCY)
}

/** Ticks from before the trigger or its config existed, or before it was enabled, never fire. */
function firstTick(
  { kind, config, triggerId }: Pick<NewTrigger, 'kind' | 'config' | 'triggerId'>,
  now: number,
): number | null {
  if (kind !== 'schedule') return null
  const { ticks, nominal } = scheduleOf(scheduleConfig(config), triggerId)
  const tick = ticks.next(now)
  // Jitter can delay a tick from before this moment beyond it.
  const isEarlier = tick !== undefined && nominal(tick) <= now
  return (isEarlier ? ticks.next(tick) : tick) ?? null
}
