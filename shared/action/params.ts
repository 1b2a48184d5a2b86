/**
 * Params of runs that a trigger fires (docs/triggers.md#what-the-action-gets). `Defaults` is the type of the trigger's
 * `default_params`, whose keys are merged with those of the event.
 */
import type { ChainBlock } from './chain-block.ts'
import type { ChainEvent, DecodedValue } from './chain-event.ts'
import type { ChainTransaction } from './chain-transaction.ts'

type WithDefaults<Params, Defaults> = Omit<Defaults, keyof Params> & Params

/**
 * A request to the trigger's URL. Verify its sender before you use `event` (docs/triggers.md#verifying-senders).
 * @example
 * type Push = WebhookParams<{ ref: string }, { channel: string }>
 */
export type WebhookParams<Event = unknown, Defaults = unknown> = WithDefaults<
  { source: 'webhook' } & WebhookEvent<Event>,
  Defaults
>

/**
 * Several requests to the URL of a trigger with `options.batch` (docs/triggers.md#batches-and-debouncing). Test runs with
 * an `event` get `WebhookParams` instead.
 */
export type WebhookBatchParams<Event = unknown, Defaults = unknown> = WithDefaults<
  {
    source: 'webhook'
    /** At least one event, in order of arrival. */
    events: WebhookEvent<Event>[]
  },
  Defaults
>

/** A request to the trigger's URL. */
export type WebhookEvent<Event = unknown> = {
  /**
   * The parsed body: JSON, the fields of a form, or text. Null if the body is empty or not valid UTF-8. `Event` is what the
   * sender is expected to send, and is not checked.
   */
  event: Event
  /** Why a body that is declared as JSON or a form could not be parsed. `event` is then the text. */
  event_parse_error?: string
  /** The exact text of the body, or base64 if it is not valid UTF-8. */
  event_raw: string
  event_raw_encoding: 'utf8' | 'base64'
  /** By name in lower case (docs/triggers.md#headers). */
  headers: Record<string, string>
  /** True if headers were dropped. */
  headers_truncated?: true
  request: {
    method: string
    /** The trigger's public URL, with the query of the request. */
    url: string
    query: Record<string, string | string[]>
    /** Time at which the whole body had arrived, such as `2026-05-22T13:05:00.123Z`. */
    received_at: string
    content_type: string | null
    body_bytes: number
  }
}

/** A tick of a schedule. */
export type ScheduleParams<Defaults = unknown> = WithDefaults<
  {
    source: 'schedule'
    /** Scheduled time of the tick, such as `2026-05-22T13:05:00Z`. The run may start later. */
    scheduled_at: string
    /** The expression as configured. */
    cron: string
    /** Only if the schedule has a time zone: its IANA name. */
    timezone?: string
    /** Only if the schedule has a time zone: the scheduled time there, such as `2026-05-22T09:05:00-04:00`. */
    scheduled_local?: string
  },
  Defaults
>

/** The run of a schedule with `config.at`. */
export type OneOffParams<Defaults = unknown> = WithDefaults<
  {
    source: 'schedule'
    /** Scheduled time, such as `2026-05-22T13:05:00Z`. The run may start later. */
    scheduled_at: string
    /** The time as configured. */
    at: string
  },
  Defaults
>

/**
 * A log of a contract. `Args` are the types of the event's arguments in the order of the declaration.
 * @example
 * type Transfer = ChainEventParams<[from: string, to: string, value: string]>
 */
export type ChainEventParams<
  Args extends readonly DecodedValue[] = readonly DecodedValue[],
  Defaults = unknown,
> = WithDefaults<{ source: 'chain_event'; event: ChainEvent<Args> }, Defaults>

/** A block of a chain event with `config.blocks`. */
export type ChainBlockParams<Defaults = unknown> = WithDefaults<
  { source: 'chain_event'; event: ChainBlock },
  Defaults
>

/** A transaction of a chain event with `config.transactions`. */
export type ChainTransactionParams<Defaults = unknown> = WithDefaults<
  { source: 'chain_event'; event: ChainTransaction },
  Defaults
>
