import type {
  ListedTrigger,
  StoredTrigger,
  Trigger,
  TriggerPreview,
} from '../../../client/triggers/records.ts'
import { printable } from '../../terminal.ts'
import { brief, columns, facts, LINE_CHARACTERS, formatUtcTime } from '../columns.ts'

/**
 * Maximum length of a trigger's name in a line of 80 characters, which also contains the ID (32 characters), kind and
 * state.
 */
const NAME_CHARACTERS =
  LINE_CHARACTERS - (32 + 2 + 'chain_event'.length + 2 + 'disabled'.length + 2)

export function triggerListLines(triggers: readonly ListedTrigger[]): string[] {
  return columns(
    triggers.map(({ id, kind, enabled, name }) => [
      id,
      kind,
      enabled ? 'enabled' : 'disabled',
      brief(name, NAME_CHARACTERS),
    ]),
  )
}

/** @param next upcoming ticks of a schedule. If empty, only the trigger's next tick is shown */
export function triggerLines(
  trigger: Trigger | StoredTrigger,
  next: readonly string[] = [],
): string[] {
  const { stats, backfill, factory_contracts: contracts, next_run_at: tick } = trigger
  const ticks = next.length > 0 ? next : tick ? [tick] : []
  return facts({
    id: trigger.id,
    name: trigger.name,
    kind: trigger.kind,
    state: stateOf(trigger),
    webhook: trigger.webhook_url,
    config: trigger.kind === 'webhook' ? undefined : configText(trigger),
    next: ticks.map(formatUtcTime).join(', '),
    ended: trigger.ended_reason,
    event: trigger.canonical_signature,
    topic0: trigger.topic0,
    finality: trigger.finality === undefined ? undefined : String(trigger.finality),
    contracts: contracts && contractsText(contracts),
    backfill: backfill && backfillText(backfill),
    action: trigger.action_cid,
    params: jsonUnlessEmpty(trigger.default_params),
    options: jsonUnlessEmpty(trigger.options),
    caps: `${trigger.max_runs_per_minute} runs per minute, ${trigger.max_queued_runs} queued`,
    'waiting for': trigger.waiting_for ?? undefined,
    'last 24 h':
      stats &&
      `${stats.ok} ok, ${stats.failed} failed, ${stats.skipped} skipped${eventsText(stats)}`,
    'last error of an expression': stats?.last_expression_error?.error,
    rejected: stats?.rejected && rejectedText(stats.rejected),
    now: stats && `${stats.queued} queued, ${stats.running} running`,
    duration: stats && tookText(stats),
    created: formatUtcTime(trigger.created_at),
    updated: formatUtcTime(trigger.updated_at),
  })
}

/** Omits a list of addresses, which can have thousands of entries. */
function configText({ config, addresses_count: count }: Trigger | StoredTrigger): string {
  if (count === undefined) return JSON.stringify(config)
  const { addresses: _, ...rest } = config
  return `${JSON.stringify(rest)}, ${count} addresses`
}

export function warningLines({ warnings = [] }: { warnings?: string[] | undefined }): string[] {
  return warnings.map((warning) => `warning: ${printable(warning)}`)
}

export function previewLines(preview: TriggerPreview): string[] {
  const { searched, logs } = preview
  return [
    ...facts({
      next: preview.next?.map(formatUtcTime).join(', '),
      local: preview.ticks?.map(localText).join(', '),
      interval:
        preview.min_interval_s === undefined ? undefined : `${preview.min_interval_s} s or more`,
      event: preview.canonical_signature,
      topic0: preview.topic0,
      searched: searched && `blocks ${searched.from} to ${searched.to}`,
      found: logs && `${logs.length} ${logs.length === 1 ? 'log' : 'logs'}`,
      params: JSON.stringify(preview.params),
      expressions: preview.expressions && expressionText(preview.expressions),
    }),
    ...(logs ?? []).map((log) => `  ${brief(log, LINE_CHARACTERS - 2)}`),
    ...warningLines(preview),
  ]
}

export function recentEventLines({ recent = [] }: TriggerPreview): string[] {
  if (recent.length === 0) return ['no recent events']
  return recent.map(
    ({ run_id, queued_at, expressions }) =>
      `${formatUtcTime(queued_at)}  ${run_id}  ${expressionText(expressions)}`,
  )
}

function expressionText(expressions: NonNullable<TriggerPreview['expressions']>): string {
  return Object.entries(expressions)
    .map(([name, { value, error }]) =>
      error === undefined ? `${name}: ${JSON.stringify(value)}` : `${name} fails: ${error}`,
    )
    .join(', ')
}

function eventsText(stats: NonNullable<Trigger['stats']>): string {
  const { filtered, filter_errors, key_errors, deduplicated } = stats
  const counts = {
    filtered,
    'filter errors': filter_errors,
    'key errors': key_errors,
    deduplicated,
  }
  return Object.entries(counts)
    .map(([name, count]) => (count > 0 ? `, ${count} ${name}` : ''))
    .join('')
}

function localText({ local, clock_change }: NonNullable<TriggerPreview['ticks']>[number]): string {
  const text = printable(local.replace('T', ' '))
  return clock_change === undefined ? text : `${text} (local time ${printable(clock_change)})`
}

function stateOf({ enabled, disabled_reason: reason }: Trigger): string {
  if (enabled) return 'enabled'
  return reason === null ? 'disabled' : `disabled: ${reason}`
}

function backfillText({ from, to, at, done }: NonNullable<Trigger['backfill']>): string {
  return done ? `blocks ${from} to ${to}: done` : `blocks ${from} to ${to}: at ${at}`
}

function contractsText({ count, learning_at: next }: NonNullable<Trigger['factory_contracts']>) {
  return next === null ? String(count) : `${count}, learning from block ${next} on`
}

function tookText({ p50_ms, p95_ms }: NonNullable<Trigger['stats']>): string | undefined {
  if (p50_ms === null || p95_ms === null) return undefined
  return `p50 ${Math.round(p50_ms)} ms, p95 ${Math.round(p95_ms)} ms`
}

function jsonUnlessEmpty(value: object): string | undefined {
  return Object.keys(value).length === 0 ? undefined : JSON.stringify(value)
}

function rejectedText({
  count,
  since,
  last_reason: reason,
}: NonNullable<NonNullable<Trigger['stats']>['rejected']>): string {
  const last = reason === null ? '' : `, last: ${reason}`
  return `${count} webhooks since ${formatUtcTime(since)}${last}`
}
