import type { ChangeOrigin } from '../audit-log/trigger-change.ts'
import type { TriggerAlertThresholds } from '../../shared/wire/alert.ts'
import type { RecentEvent } from '../../shared/wire/preview.ts'
import type { ReplayCode } from '../../shared/wire/run.ts'
import type { Tail } from '../../shared/wire/tail.ts'
import type { WebhookSource } from '../../shared/wire/webhook-source.ts'
import type {
  HandshakeSender,
  RunRecord,
  RunStatus,
  TriggerKind,
  TriggerOptions,
  TriggerRecord,
} from '../../shared/wire/trigger.ts'
import type { DeliveryResponse, LogDelivery } from '../chain/subscription.ts'
import type { VisitResult } from '../schedule/scan.ts'
import type { ReplayBatch, ReplayBatchResult } from '../replays/replay-batch.ts'
import type { HandshakeReply } from '../triggers/handshake-reply.ts'
import type { RunOutcome } from './held-responses.ts'
import type { AlertResult, IntakeResult, WebhookPost, WebhookResult } from './intake.ts'
import type { AlertEvent, TestRun } from './owner-firings.ts'
import type { RunRange } from './run-history.ts'
import type { PageQuery } from './run-pages.ts'
import type { ChartRange, TriggerSnapshot } from './trigger-snapshot.ts'
import type { NewTrigger, TriggerChange } from './trigger-state.ts'
import type { KnownHead, SubscriptionChange } from './subscription-change.ts'

export interface TriggerObject {
  /** Stores a new trigger, and then adds it to the index. */
  create(trigger: NewTrigger, by?: ChangeOrigin): Promise<TriggerRecord>
  /** Callers that do not own the trigger get the same response as for an unknown trigger ID. */
  read(ownerId: string): Promise<TriggerRecord | undefined>
  kindAndAction(
    ownerId: string,
  ): Promise<{ kind: TriggerKind; actionCid: string; source?: WebhookSource } | undefined>
  /** Stores thresholds of the owner's alerts. @returns false if this owner has no such trigger */
  setAlertThresholds(ownerId: string, thresholds: TriggerAlertThresholds): Promise<boolean>
  /** The edge cannot decrypt this key. */
  sealedUsageKey(ownerId: string): Promise<Uint8Array | undefined>
  /**
   * @param head the head of the trigger's chain; absent until a call has returned `asks_head`
   * @returns `undefined` if this owner has no such trigger; `asks_head` if the head of the chain is needed first, in
   * which case nothing was changed
   */
  change(
    ownerId: string,
    change: TriggerChange,
    head?: KnownHead,
    by?: ChangeOrigin,
  ): Promise<ChangeResult | undefined>
  /** For operators: disables the trigger until it is resumed. @returns false if the trigger does not exist */
  suspend(): Promise<boolean>
  /**
   * For operators: lets the owner enable the trigger again, without enabling it.
   * @returns `undefined` if the trigger does not exist; `from` is null if it is not suspended
   */
  liftSuspension(): Promise<{ from: 'enabled' | 'disabled' | null } | undefined>
  /** For operators. */
  status(): Promise<TriggerStatus | undefined>
  /**
   * Accepts logs from the chain watcher. If the result is `taken`, all runs and reorg marks are on disk. Idempotent.
   */
  deliverLogs(delivery: LogDelivery): Promise<DeliveryResponse>
  /** If the result is `queued`, the run is already on disk. */
  accept(post: WebhookPost): Promise<WebhookResult>
  /** Waits for a run on behalf of the sender of its webhook (`options.respond`). */
  awaitOutcome(runId: string, waitMs: number): Promise<RunOutcome>
  /**
   * Returns the sender in `options.handshake`, or `undefined` if there is no such webhook.
   * @param crcToken X's challenge. `reply` is the response to it, if the trigger has this source.
   */
  handshake(
    crcToken?: string,
  ): Promise<{ sender: HandshakeSender | null; reply: HandshakeReply | null } | undefined>
  /** Returns a page of runs as JSON text, newest first. */
  runs(ownerId: string, page: PageQuery): Promise<ReadableStream<Uint8Array> | undefined>
  /**
   * Returns the parts of a trigger's web page that change: a page of run summaries, the statistics and the trigger's
   * state. Includes a chart if `range` is given.
   */
  glance(ownerId: string, page: PageQuery, range?: ChartRange): Promise<TriggerSnapshot | undefined>
  /** Returns summaries of the runs in a range of sequence numbers, for a list of several triggers. */
  runRange(ownerId: string, query: PageQuery): Promise<RunRange | undefined>
  run(ownerId: string, runId: string, waitMs?: number): Promise<RunRecord | undefined>
  /**
   * Returns what is new since `after`, a cursor of an earlier call. Waits for it if there is nothing yet.
   * @returns `undefined` if this owner has no such trigger
   */
  follow(ownerId: string, after: string | undefined, waitMs: number): Promise<Tail | undefined>
  /** If the result is `queued`, the run is already on disk. */
  fireTest(ownerId: string, test: TestRun): Promise<IntakeResult | { state: 'takes_no_event' }>
  /**
   * Fires a webhook trigger with an alert of its owner. Its filter applies, but not its source, because the service is the
   * sender. Returns `unknown` for other triggers.
   */
  fireAlert(ownerId: string, alert: AlertEvent): Promise<AlertResult>
  /** If the result is `queued`, the new run is already on disk. */
  replay(ownerId: string, runId: string, code: ReplayCode): Promise<IntakeResult>
  /** Evaluates the expressions of these options on the trigger's latest events. */
  recentEvents(ownerId: string, options: TriggerOptions): Promise<RecentEvent[] | undefined>
  /** Queues a batch of a bulk replay. Idempotent. */
  replayBatch(ownerId: string, batch: ReplayBatch): Promise<ReplayBatchResult>
  /** Returns the states of the runs that exist, by suffix; `undefined` if this owner has no such trigger. */
  runStates(
    ownerId: string,
    suffixes: readonly string[],
  ): Promise<Record<string, RunStatus> | undefined>
  /**
   * Deletes the trigger, its run history and its usage keys.
   * @returns false if this owner has no such trigger
   */
  remove(ownerId: string, by?: ChangeOrigin): Promise<boolean>
  cancelRun(
    ownerId: string,
    runId: string,
  ): Promise<{ state: 'cancelled' | 'not_queued' | 'unknown' }>
  /** @returns the number of cancelled runs; `undefined` if this owner has no such trigger */
  purge(ownerId: string): Promise<number | undefined>
  /**
   * Called by the schedule scanner. Recovers a lost alarm, and updates the index if the index has a different version
   * of the trigger.
   */
  visit(indexed: number): Promise<VisitResult | undefined>
}

export type ChangeResult =
  | { state: 'changed'; record: TriggerRecord }
  | Extract<SubscriptionChange, { state: 'asks_head' }>
  /** The start block is too far before the head. Nothing was changed. */
  | Extract<SubscriptionChange, { state: 'start_too_early' }>
  /** The trigger would have a source without a secret, or a secret without a source. Nothing was changed. */
  | { state: 'secret_required' }
  | { state: 'source_required' }
  /** An operator suspended the trigger, and the change would enable or disable it. Nothing was changed. */
  | { state: 'suspended' }

export type TriggerStatus = {
  ownerId: string
  kind: TriggerKind
  enabled: boolean
  isSuspended: boolean
}
