/** Metrics that are computed on request are in `gauges.ts`. */
import { Counter, Histogram, Registry } from 'prom-client'
import type { LogFields } from '../../shared/service-log/line.ts'
import type { TransactionState } from '../../shared/wire/transaction-states.ts'
import { FORWARDED_METHODS } from '../../shared/wire/sealed-http.ts'
import { ORIGIN_EVENTS, type OriginEvent } from '../log/events.ts'

/** The route is a registered pattern, never the path of the request. */
type HandledRequest = { method: string; route: string; status: number; ms: number }

/** Histogram buckets, from the duration of an in-memory lookup to that of the longest action. */
const DURATION_BUCKETS_S = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 120,
]

/** All other methods share one label: clients can invent methods, and each label value uses memory permanently. */
const KNOWN_METHODS: ReadonlySet<string> = new Set(FORWARDED_METHODS)

const TELEMETRY_SIGNALS = ['traces', 'logs'] as const

const LAST_STATES: readonly TransactionState[] = ['final', 'replaced', 'cancelled', 'failed']

export class Counters {
  readonly registry = new Registry()
  readonly #requests = this.#counter('svc_requests_total', 'Requests handled.', [
    'method',
    'route',
    'status',
  ])
  readonly #requestSeconds = this.#histogram(
    'svc_request_duration_seconds',
    'Time from the head of a request to its response.',
    ['method', 'route'],
  )
  readonly #refusals = this.#counter(
    'svc_refusals_total',
    'Rejected requests by reason, including sealed responses.',
    ['status', 'error'],
  )
  readonly #runs = this.#counter('svc_runs_total', 'Completed executions of actions.', ['outcome'])
  readonly #runSeconds = this.#histogram(
    'svc_run_duration_seconds',
    'Execution time of actions, without the wait for an executor.',
    ['outcome'],
  )
  readonly #waitSeconds = this.#histogram(
    'svc_run_wait_seconds',
    'Time that runs waited for an executor.',
    [],
  )
  readonly #events = this.#counter(
    'svc_log_events_total',
    'Log events, including those below the log level.',
    ['event', 'level'],
  )
  readonly #transactionsEnded = this.#counter(
    'svc_transactions_ended_total',
    'Transactions of wallets that ended, by their last state.',
    ['chain', 'state'],
  )
  readonly #transactionsSpedUp = this.#counter(
    'svc_transactions_sped_up_total',
    'Transactions that were sent again with higher fees, by the service or on request.',
    ['chain'],
  )
  readonly #foreignNonces = this.#counter(
    'svc_transactions_foreign_nonces_total',
    'Nonces of wallets that transactions from elsewhere used.',
    ['chain'],
  )
  readonly #chains = new Set<string>()
  readonly #droppedLines = this.#counter(
    'svc_log_lines_dropped_total',
    'Log lines that the collector did not get.',
    [],
  )
  readonly #droppedTelemetry = this.#counter(
    'svc_telemetry_dropped_total',
    'Spans and log records that the OpenTelemetry collector did not get.',
    ['signal'],
  )

  constructor() {
    // Without a first sample, `increase()` would miss the first items.
    for (const signal of TELEMETRY_SIGNALS) this.countDroppedTelemetry(signal, 0)
  }

  countRequest({ method, route, status, ms }: HandledRequest): void {
    const verb = KNOWN_METHODS.has(method) ? method : 'OTHER'
    this.#requests.inc({ method: verb, route, status })
    this.#requestSeconds.observe({ method: verb, route }, ms / 1000)
  }

  countRejection(status: number, reason: string): void {
    this.#refusals.inc({ status, error: reason })
  }

  observeRunWait(ms: number): void {
    this.#waitSeconds.observe(ms / 1000)
  }

  countDroppedLines(lines: number): void {
    this.#droppedLines.inc(lines)
  }

  countDroppedTelemetry(signal: (typeof TELEMETRY_SIGNALS)[number], items: number): void {
    this.#droppedTelemetry.inc({ signal }, items)
  }

  countEvent(event: OriginEvent, facts: LogFields = {}): void {
    this.#events.inc({ event, level: ORIGIN_EVENTS[event] })
    this.#countTransactionEvent(event, facts)
    if (event === 'run.lost') this.#runs.inc({ outcome: 'lost' })
    if (event !== 'run.ended') return
    const outcome = facts['kind'] === 'returned' ? 'returned' : 'failed'
    this.#runs.inc({ outcome })
    this.#runSeconds.observe({ outcome }, Number(facts['ms']) / 1000)
  }

  /** Creates the series of these chains, because the first increase of a new series is not visible to Prometheus. */
  startChains(chains: readonly { name: string }[]): void {
    for (const { name: chain } of chains) {
      this.#chains.add(chain)
      for (const state of LAST_STATES) this.#transactionsEnded.inc({ chain, state }, 0)
      this.#transactionsSpedUp.inc({ chain }, 0)
      this.#foreignNonces.inc({ chain }, 0)
    }
  }

  #countTransactionEvent(event: OriginEvent, facts: LogFields): void {
    const chain = String(facts['chain'])
    if (!this.#chains.has(chain)) return
    const state = LAST_STATES.find((last) => event === `transactions.${last}`)
    if (state) this.#transactionsEnded.inc({ chain, state })
    if (event === 'transactions.sped_up') this.#transactionsSpedUp.inc({ chain })
    if (event === 'transactions.foreign_nonce')
      this.#foreignNonces.inc({ chain }, Number(facts['nonces'] ?? 1))
  }

  #counter(name: string, help: string, labelNames: string[]): Counter {
    return new Counter({ name, help, labelNames, registers: [this.registry] })
  }

  #histogram(name: string, help: string, labelNames: string[]): Histogram {
    return new Histogram({
      name,
      help,
      labelNames,
      buckets: DURATION_BUCKETS_S,
      registers: [this.registry],
    })
  }
}
