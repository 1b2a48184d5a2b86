/** RPC interface of a trigger's object. */
import type { ReplayCode } from '../../shared/wire/run.ts'
import type {
  HandshakeSender,
  RunRecord,
  TriggerKind,
  TriggerRecord,
} from '../../shared/wire/trigger.ts'
import type { DeliveryAnswer, LogDelivery } from '../chain/subscription.ts'
import type { Visited } from '../schedule/scan.ts'
import type { Accepted } from './intake.ts'
import type { TestRun } from './owner-firings.ts'
import type { PageQuery } from './run-pages.ts'
import type { ChartRange, TriggerGlance } from './trigger-glance.ts'
import type { NewTrigger, TriggerChange } from './trigger-state.ts'
import type { KnownHead, WatchChange } from './watch-change.ts'
import type { PostAnswer, WebhookPost } from './webhook-intake.ts'

export interface TriggerObject {
  /** Stores a new trigger, and then adds it to the index. */
  create(trigger: NewTrigger): Promise<TriggerRecord>
  /** Returns the trigger if the caller owns it. Other callers get the same response as for an unknown trigger ID. */
  read(ownerId: string): Promise<TriggerRecord | undefined>
  /** Returns the trigger's kind and the CID of its action, which are needed to validate a change. */
  kindAndAction(ownerId: string): Promise<{ kind: TriggerKind; actionCid: string } | undefined>
  /** Returns the encrypted usage key for new runs. The edge cannot decrypt it. */
  sealedUsageKey(ownerId: string): Promise<Uint8Array | undefined>
  /**
   * Applies an owner's change to the trigger.
   * @param head the head of the trigger's chain; absent until a call has returned `asks_head`
   * @returns `undefined` if this owner has no such trigger; `asks_head` if the head of the chain is needed first, in
   * which case nothing was changed
   */
  change(ownerId: string, change: TriggerChange, head?: KnownHead): Promise<Changed | undefined>
  /**
   * Accepts logs from the chain watcher. If the result is `taken`, all runs and reorg marks are on disk. Idempotent.
   */
  deliverLogs(delivery: LogDelivery): Promise<DeliveryAnswer>
  /** Accepts a POST to the webhook. If the result is `queued`, the run is already on disk. */
  accept(post: WebhookPost): Promise<PostAnswer>
  /** Returns the sender configured in `options.handshake`, or `undefined` if there is no such webhook. */
  handshake(): Promise<{ sender: HandshakeSender | null } | undefined>
  /** Returns a page of the run history as JSON text, newest first. */
  runs(ownerId: string, page: PageQuery): Promise<ReadableStream<Uint8Array> | undefined>
  /**
   * Returns the parts of a trigger's web page that change: a page of run summaries, the statistics and the trigger's
   * state. Includes a chart if `range` is given.
   */
  glance(ownerId: string, page: PageQuery, range?: ChartRange): Promise<TriggerGlance | undefined>
  /**
   * Returns a run with its complete input.
   * @param waitMs maximum time to wait for the run to finish, in milliseconds
   */
  run(ownerId: string, runId: string, waitMs?: number): Promise<RunRecord | undefined>
  /** Queues a test run. If the result is `queued`, the run is already on disk. */
  fireTest(ownerId: string, test: TestRun): Promise<Accepted | { state: 'takes_no_event' }>
  /** Queues a replay of a run. If the result is `queued`, the new run is already on disk. */
  replay(ownerId: string, runId: string, code: ReplayCode): Promise<Accepted>
  /**
   * Deletes the trigger, its run history and its usage keys.
   * @returns false if this owner has no such trigger
   */
  remove(ownerId: string): Promise<boolean>
  /** Cancels a queued run of the trigger. */
  cancelRun(
    ownerId: string,
    runId: string,
  ): Promise<{ state: 'cancelled' | 'not_queued' | 'unknown' }>
  /**
   * Cancels all queued runs of the trigger.
   * @returns the number of cancelled runs; `undefined` if this owner has no such trigger
   */
  purge(ownerId: string): Promise<number | undefined>
  /**
   * Called by the scanner. Recovers a lost alarm, and updates the index if it has a different version of the trigger.
   * @param indexed version of the trigger in the index
   * @returns `undefined` if there is no trigger
   */
  visit(indexed: number): Promise<Visited | undefined>
}

export type Changed =
  | { state: 'changed'; record: TriggerRecord }
  | Extract<WatchChange, { state: 'asks_head' }>
