import { encodeBase64url } from '../../shared/encoding/base64url.ts'
import { RUN_SUFFIX_BYTES } from '../../shared/ids.ts'
import { QUEUED_BYTES_MAX } from '../../shared/limits.ts'
import type { TriggerOptions } from '../../shared/wire/trigger.ts'
import type { WebhookSource } from '../../shared/wire/webhook-source.ts'
import type { GateResult, SealedSource, SourceGate } from '../sources/source-gate.ts'
import { deliveryKey } from '../triggers/delivery-id.ts'
import type { HandshakeReply } from '../triggers/handshake-reply.ts'
import { postHandshake } from '../triggers/post-handshakes.ts'
import type { Collected, CollectedRuns, CollectRule } from './collected-runs.ts'
import type { Deliveries } from './deliveries.ts'
import type { EventCounts } from './event-counts.ts'
import type { EventRules } from './event-rules.ts'
import type { WebhookBatchFiring, WebhookFiring } from './firing.ts'
import { encodeBatchedEvent } from './webhook-batch.ts'
import { GroupCommit } from '../../shared/group-commit.ts'
import type { QueueSize } from './queue-size.ts'
import { passNamedHeaders, type WithheldHeaders } from './named-headers.ts'
import { parseTriggerOptions, type TriggerRow } from './records.ts'
import type { LiveRun } from './live-runs.ts'
import type { ImmediateStarts, NewRun, RunStore } from './run-store.ts'
import type { TriggerState } from './trigger-state.ts'

export type IntakeResult =
  /** `duplicate` is set if the firing was deduplicated. In that case, `runId` is the ID of the existing run. */
  | { state: 'queued'; runId: string; duplicate?: true }
  | { state: 'unknown' }
  | { state: 'disabled' }
  | { state: 'full'; retryAfterS: number }

export type WebhookPost = {
  /** `WebhookFiring` as JSON text. If the trigger has no options, the text is stored without being parsed. */
  firing: string
  body: Uint8Array
  /** `authorization` header, for sources that send their secret in it. */
  authorization?: string
} & WithheldHeaders

export type WebhookResult =
  /** `respond` is set if the sender waits for the run. */
  | (Extract<IntakeResult, { state: 'queued' }> & { respond?: true })
  | Exclude<IntakeResult, { state: 'queued' }>
  | { state: 'handshake'; reply: HandshakeReply }
  /** The signature that `options.source` requires is missing or wrong. */
  | { state: 'rejected' }
  /** `options.filter` does not match the event. */
  | { state: 'filtered' }

export type AlertResult = IntakeResult | { state: 'filtered' }

export type IntakeOptions = {
  state: TriggerState
  store: RunStore
  deliveries: Deliveries
  collected: Pick<CollectedRuns, 'add'>
  rules: Pick<EventRules, 'appliesTo' | 'prepare' | 'apply' | 'keyOf'>
  counts: Pick<EventCounts, 'add'>
  gate: SourceGate
  queueSize: QueueSize
  now: () => number
  random: (bytes: number) => Uint8Array
  transaction: (work: () => void) => void
  sync: () => Promise<void>
  /**
   * Called directly after a batch of runs is written. Must set the alarm, which then belongs to the same transaction.
   */
  inserted: () => void
  committed: () => void
  /** Called before runs are written. Returns how many of them may start at once, or undefined if all are queued. */
  immediateStarts: () => ImmediateStarts | undefined
  /** Called directly after a run is written that is due later, with the time at which it is due. */
  expectDue: (at: number) => void
  /** Called directly after runs that start at once are written. */
  adopt: (runs: readonly LiveRun[], at: number) => void
}

export type Arrival = {
  /** `Firing` as JSON. */
  firing: string
  body: Uint8Array
  /**
   * Part of the run ID that follows the trigger ID. Random if absent. If a run with this suffix already exists, no
   * second run is created.
   */
  suffix?: string
  /** Deduplication key of a webhook delivery. If it was used in the last 24 hours, no second run is created. */
  delivery?: string
  /** Key of the run (`run_keys`), if the event's expressions were already evaluated. Null if the run has no key. */
  key?: string | null
  /** How the event joins a queued run (`options.debounce_ms`, `options.batch`). */
  collect?: CollectRule
  test?: true
  replayOf?: string
  /** Defaults to the trigger's current revision. */
  revision?: number
}

/** A firing with a deterministic run ID. */
export type DerivedFiring = {
  suffix: string
  /** Called only if the firing does not have a run yet. Returns undefined if the trigger's filter does not match. */
  arrival: () => Pick<Arrival, 'firing' | 'body' | 'delivery' | 'key'> | undefined
}

type RunDraft = Omit<NewRun, 'queuedAt'> & {
  collect?: CollectRule | undefined
  /** Set when the event has been written, if it has `collect`. */
  collected?: Collected
}

const BATCH_FIRING = JSON.stringify({ source: 'webhook_batch' } satisfies WebhookBatchFiring)

/** `Retry-After` for senders while the queue is full, in seconds. */
const FULL_RETRY_S = 60

export class Intake {
  readonly #options: IntakeOptions
  readonly #commits: GroupCommit<RunDraft>
  /** By deduplication key. A repeated firing waits for the result of the first. */
  readonly #pendingWrites = new Map<string, Promise<IntakeResult>>()
  /** Number of runs that are being written to disk, by revision. */
  readonly #revisionsInUse = new Map<number, number>()
  #lastQueuedAt = 0

  constructor(options: IntakeOptions) {
    this.#options = options
    this.#commits = new GroupCommit<RunDraft>({
      write: async (batch) => {
        const queuedAt = this.#queuedAt()
        const starts = options.immediateStarts()
        const started = this.#insert(batch, queuedAt, starts)
        // First, because its alarm is the earlier one: each setting of an alarm is charged.
        options.inserted()
        const dueAt = batch.flatMap(({ collected }) => (collected ? [collected.dueAt] : []))
        if (dueAt.length > 0) options.expectDue(Math.min(...dueAt))
        if (starts) options.adopt(started, starts.at)
        await options.sync()
        return []
      },
      committed: options.committed,
    })
  }

  /** Returns `undefined` if the trigger is not a webhook. */
  webhookOptions(): TriggerOptions | undefined {
    const trigger = this.#options.state.current
    return trigger?.kind === 'webhook' ? parseTriggerOptions(trigger) : undefined
  }

  /** Applies the trigger's options for webhooks, and queues the event. */
  async acceptWebhook(post: WebhookPost): Promise<WebhookResult> {
    const options = this.webhookOptions()
    if (!options) return { state: 'unknown' }
    const result = await this.#acceptWebhook(options, post)
    if (options.respond === undefined || result.state !== 'queued') return result
    return { ...result, respond: true }
  }

  async #acceptWebhook(options: TriggerOptions, post: WebhookPost): Promise<WebhookResult> {
    const { body } = post
    const { dedup, handshake, pass_headers = [], source } = options
    const hasRules = this.#options.rules.appliesTo(options)
    if (!dedup && !handshake && pass_headers.length === 0 && !hasRules && source === undefined)
      return this.accept({ firing: post.firing, body })
    const received = JSON.parse(post.firing) as WebhookFiring
    const { headers, query } = received
    // Answered before the signature is verified, because some senders do not sign their handshake.
    const reply = handshake && postHandshake(handshake, { headers, query, body })
    if (reply) return { state: 'handshake', reply }
    if (source !== undefined) {
      const checked = await this.#checkSource(source, received, post)
      if (checked.state !== 'accepted') return checked
    }
    const delivery = dedup ? await deliveryKey(dedup, { ...post.withheld, ...headers }) : undefined
    const firing =
      pass_headers.length === 0
        ? post.firing
        : JSON.stringify(passNamedHeaders(received, pass_headers, post))
    const arrival = { firing, body, ...(delivery === undefined ? {} : { delivery }) }
    return hasRules ? this.#acceptByRules(arrival) : this.accept(arrival)
  }

  /** Queues an alert by the trigger's rules for webhooks, without verifying a source. */
  async acceptAlert(arrival: Arrival): Promise<AlertResult> {
    const options = this.webhookOptions()
    if (!options) return { state: 'unknown' }
    return this.#options.rules.appliesTo(options)
      ? this.#acceptByRules(arrival)
      : this.accept(arrival)
  }

  async #acceptByRules(arrival: Arrival): Promise<AlertResult> {
    const { rules, state } = this.#options
    await rules.prepare(state.current)
    const trigger = state.current
    if (!trigger?.enabled) return this.accept(arrival)
    const event = rules.apply(trigger, arrival.firing, arrival.body)
    if (event.state === 'filtered') return event
    const { state: _, ...keys } = event
    if (keys.collect?.kind !== 'batch') return this.accept({ ...arrival, ...keys })
    const body = encodeBatchedEvent(arrival.firing, arrival.body)
    return this.accept({ ...arrival, ...keys, firing: BATCH_FIRING, body })
  }

  /** Answers a GET handshake that requires the secret of `options.source`. */
  async getHandshake(
    { source }: TriggerOptions,
    crcToken: string,
  ): Promise<HandshakeReply | undefined> {
    if (source === undefined) return undefined
    return this.#options.gate.getHandshake(this.#sealedSource(source), crcToken)
  }

  #sealedSource(source: WebhookSource): SealedSource {
    const { triggerId, webhookSecret } = this.#options.state.current!
    return { triggerId, source, sealed: webhookSecret }
  }

  #checkSource(
    source: WebhookSource,
    { method, url, headers, contentType }: WebhookFiring,
    { body, withheld, authorization }: WebhookPost,
  ): Promise<GateResult> {
    return this.#options.gate.check(this.#sealedSource(source), {
      method,
      url,
      headers: {
        ...withheld,
        ...headers,
        ...(authorization === undefined ? {} : { authorization }),
      },
      contentType,
      body,
    })
  }

  /** If the result is `queued`, the run is already on disk. */
  async accept(arrival: Arrival): Promise<IntakeResult> {
    const { state } = this.#options
    const trigger = state.current
    if (!trigger) return { state: 'unknown' }
    if (!trigger.enabled) return { state: 'disabled' }
    const dedupKey = dedupKeyOf(arrival)
    if (dedupKey === undefined) return this.#queue(trigger, arrival)
    // Duplicates are detected before the limits are checked, so that a repeated firing gets the same response as the
    // first even if the queue is full.
    const pending = this.#pendingWrites.get(dedupKey)
    if (pending) return this.#asDuplicate(arrival, await pending)
    const existing = this.#findExisting(arrival)
    if (existing !== undefined)
      return this.#asDuplicate(arrival, { state: 'queued', runId: trigger.triggerId + existing })
    const queued = this.#queue(trigger, arrival).finally(() => this.#pendingWrites.delete(dedupKey))
    this.#pendingWrites.set(dedupKey, queued)
    return queued
  }

  /** If the original firing was rejected, the duplicate is rejected in the same way. */
  #asDuplicate({ delivery }: Arrival, original: IntakeResult): IntakeResult {
    if (original.state !== 'queued') return original
    if (delivery !== undefined) this.#options.counts.add('deduplicated')
    return { ...original, duplicate: true }
  }

  #findExisting({ suffix, delivery }: Arrival): string | undefined {
    const { deliveries, now, store } = this.#options
    if (delivery !== undefined) return deliveries.findRun(delivery, now())
    return suffix !== undefined && store.has(suffix) ? suffix : undefined
  }

  async #queue(trigger: TriggerRow, arrival: Arrival): Promise<IntakeResult> {
    const { state, queueSize, random } = this.#options
    const { firing, body } = arrival
    if (
      queueSize.queued >= trigger.maxQueuedRuns ||
      queueSize.bytes + body.length > QUEUED_BYTES_MAX
    )
      return { state: 'full', retryAfterS: FULL_RETRY_S }
    const suffix = arrival.suffix ?? encodeBase64url(random(RUN_SUFFIX_BYTES))
    const { revision = trigger.revision } = arrival
    queueSize.adjust(1, body.length)
    this.#trackRevision(revision, 1)
    try {
      const { collect, delivery, replayOf, test } = arrival
      const key = trigger.keyed ? this.#options.rules.keyOf(trigger, arrival) : undefined
      const marks = { delivery, replayOf, test, key }
      const draft: RunDraft = { suffix, revision, firing, body, ...marks, collect }
      await this.#commits.add(draft)
      if (draft.collected?.joined) {
        queueSize.adjust(-1, draft.collected.replacedBytes)
        return { state: 'queued', runId: trigger.triggerId + draft.collected.suffix }
      }
    } catch (error) {
      queueSize.adjust(-1, body.length)
      // The trigger was deleted while the run was being written.
      if (!state.current) return { state: 'unknown' }
      throw error
    } finally {
      this.#trackRevision(revision, -1)
    }
    return { state: 'queued', runId: trigger.triggerId + suffix }
  }

  /** Returns true if a run that is being written uses the revision, which therefore must not be deleted. */
  isBeingWritten(revision: number): boolean {
    return this.#revisionsInUse.has(revision)
  }

  #trackRevision(revision: number, change: 1 | -1): void {
    const count = (this.#revisionsInUse.get(revision) ?? 0) + change
    if (count > 0) this.#revisionsInUse.set(revision, count)
    else this.#revisionsInUse.delete(revision)
  }

  /**
   * Queues runs for firings that no client is waiting for, and calls `onQueued` in the same transaction. A firing that
   * already has a run does not create a second one. If the queue has no room for a firing, that firing and all later
   * ones are rejected.
   * @returns the number of accepted firings, including duplicates and firings that the filter does not match
   */
  queueNow(
    firings: readonly DerivedFiring[],
    onQueued: (accepted: number) => void,
    isKnown = (suffix: string) => this.#options.store.has(suffix),
  ): number {
    const { state, queueSize, transaction, immediateStarts, adopt } = this.#options
    const { revision, maxQueuedRuns } = state.current!
    const runs = new Map<string, RunDraft>()
    const deliveries = new Set<string>()
    let bytes = queueSize.bytes
    let accepted = 0
    for (const { suffix, arrival } of firings) {
      if (!runs.has(suffix) && !isKnown(suffix)) {
        if (queueSize.queued + runs.size >= maxQueuedRuns) break
        const made = arrival()
        if (!made || this.#isRepeated(made, deliveries)) {
          accepted++
          continue
        }
        const { firing, body, delivery, key } = made
        if (bytes + body.length > QUEUED_BYTES_MAX) break
        bytes += body.length
        if (delivery !== undefined) deliveries.add(delivery)
        runs.set(suffix, { suffix, revision, firing, body, delivery, key })
      }
      accepted++
    }
    const queuedAt = this.#queuedAt()
    // Before the transaction, because it may start other runs, which a rollback would not stop.
    const starts = runs.size > 0 ? immediateStarts() : undefined
    let started: LiveRun[] = []
    transaction(() => {
      started = this.#insert([...runs.values()], queuedAt, starts)
      onQueued(accepted)
    })
    for (const { body } of runs.values()) queueSize.adjust(1, body.length)
    if (starts) adopt(started, starts.at)
    return accepted
  }

  #isRepeated({ delivery }: Pick<Arrival, 'delivery'>, sameBatch: ReadonlySet<string>): boolean {
    if (delivery === undefined) return false
    const { counts, deliveries, now } = this.#options
    if (!sameBatch.has(delivery) && deliveries.findRun(delivery, now()) === undefined) return false
    counts.add('deduplicated')
    return true
  }

  /** @returns the runs that start at once */
  #insert(
    runs: readonly RunDraft[],
    queuedAt: number,
    starts: ImmediateStarts | undefined,
  ): LiveRun[] {
    if (runs.length === 0) return []
    const { collected, state, store, transaction } = this.#options
    // The trigger may have become keyed after the key of a run was determined. Then each run needs a row.
    const isKeyed = state.current?.keyed
    const rowOf = (run: RunDraft) => ({
      ...run,
      queuedAt,
      key: isKeyed ? (run.key ?? null) : undefined,
    })
    const collecting = runs.filter(({ collect }) => collect)
    if (collecting.length === 0) return store.insert(runs.map(rowOf), starts)
    let started: LiveRun[] = []
    transaction(() => {
      started = store.insert(runs.filter(({ collect }) => !collect).map(rowOf), starts)
      for (const run of collecting)
        run.collected = collected.add({ ...rowOf(run), collect: run.collect! })
    })
    return started
  }

  /**
   * Returns the queue time of new runs. The time never decreases, even if the clock is set back, because paging by time
   * requires ascending queue times.
   */
  #queuedAt(): number {
    if (this.#lastQueuedAt === 0) this.#lastQueuedAt = this.#options.store.lastQueuedAt()
    this.#lastQueuedAt = Math.max(this.#lastQueuedAt, this.#options.now())
    return this.#lastQueuedAt
  }
}

function dedupKeyOf({ suffix, delivery }: Arrival): string | undefined {
  if (delivery !== undefined) return `delivery ${delivery}`
  return suffix === undefined ? undefined : `run ${suffix}`
}
