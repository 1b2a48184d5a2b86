import { type Command, InvalidArgumentError } from 'commander'
import type {
  AlertDelivery,
  AlertSettings,
  Incident,
  TriggerAlertSettings,
} from '../../client/triggers/alerts.ts'
import type { Cli } from '../cli.ts'
import { UsageError } from '../terminal.ts'
import { ALERT_SIGNALS } from '../../wire/alert-signals.ts'
import { channelId, registerAlertChannels, signalOf } from './alert-channels.ts'
import { columns, facts, formatUtcTime } from './columns.ts'
import { addExamples } from './examples.ts'
import { collectOption, integerOf } from './option-values.ts'
import { resolveTriggerId, TRIGGER_ARGUMENT } from './trigger/resolve-ids.ts'

export function registerAlerts(program: Command, cli: Cli): void {
  const alerts = program
    .command('alerts')
    .description('List the incidents of your triggers, and change your alerts.')
  for (const register of [
    registerList,
    registerSettings,
    registerSet,
    registerMutes,
    registerThresholds,
    registerTest,
    registerAlertChannels,
    registerDeliveries,
  ])
    register(alerts, cli)
}

type Given = { open?: true; trigger?: string }

function registerList(alerts: Command, cli: Cli): void {
  const command = alerts
    .command('list')
    .description('List incidents, newest first.')
    .option('--open', 'only incidents that are not resolved')
    .option('--trigger <trigger>', 'only incidents of this trigger: its ID or unique name')
  cli.withDeploymentOptions(command)
  addExamples(command, ['svc alerts list', 'svc alerts list --open --json'])
  command.action(async ({ open, trigger }: Given) => {
    const { triggers } = await cli.client(command, { token: true })
    const filter = {
      ...(open && { state: 'open' as const }),
      ...(trigger !== undefined && { triggerId: await resolveTriggerId(triggers, trigger) }),
    }
    const incidents = await triggers.alerts.incidents(filter).all()
    cli.print(command, incidents, () => incidentLines(incidents))
  })
}

function registerSettings(alerts: Command, cli: Cli): void {
  const command = alerts.command('settings').description('Show which alerts you get.')
  cli.withDeploymentOptions(command)
  addExamples(command, ['svc alerts settings'])
  command.action(async () => {
    const { triggers } = await cli.client(command, { token: true })
    const settings = await triggers.alerts.settings()
    cli.print(command, settings, () => settingsLines(settings))
  })
}

type NewSettings = { signal?: string[]; expiryDays?: string; creditCents?: string }

function registerSet(alerts: Command, cli: Cli): void {
  const command = alerts
    .command('set')
    .description('Choose the signals that alert, and thresholds. Other settings stay unchanged.')
    .option(
      '--signal <signal>',
      `alert on this signal; repeatable; replaces all chosen signals: ${ALERT_SIGNALS.join(', ')}`,
      collectOption,
    )
    .option('--expiry-days <days>', 'alert this many days before a key expires (key_expiring)')
    .option('--credit-cents <cents>', 'alert below this credit in US cents (credit_low)')
  cli.withDeploymentOptions(command)
  addExamples(command, [
    'svc alerts set --signal run_failed --signal key_expiring --expiry-days 14',
  ])
  command.action(async ({ signal, expiryDays, creditCents }: NewSettings) => {
    if (signal === undefined && expiryDays === undefined && creditCents === undefined)
      throw new UsageError('nothing to change: use --signal, --expiry-days or --credit-cents')
    const thresholds = {
      ...(expiryDays !== undefined && { expiry_days: integerOf('--expiry-days', expiryDays) }),
      ...(creditCents !== undefined && { credit_cents: integerOf('--credit-cents', creditCents) }),
    }
    const fields = { ...(signal && { signals: signal.map(signalOf) }), thresholds }
    const { triggers } = await cli.client(command, { token: true })
    const settings = await triggers.alerts.change(fields)
    cli.print(command, settings, () => settingsLines(settings))
  })
}

function registerMutes(alerts: Command, cli: Cli): void {
  registerMute(alerts, cli, 'mute', 'Stop alerts of a trigger, or all alerts.')
  registerMute(alerts, cli, 'unmute', 'Send alerts of a trigger again, or alerts in general.')
}

function registerMute(
  alerts: Command,
  cli: Cli,
  name: 'mute' | 'unmute',
  description: string,
): void {
  const command = alerts
    .command(name)
    .description(description)
    .argument('[trigger]', 'ID of the trigger, or its name if it is unique. Default: all alerts')
  cli.withDeploymentOptions(command)
  addExamples(command, [`svc alerts ${name}`])
  command.action(async (named?: string) => {
    const { triggers } = await cli.client(command, { token: true })
    const muted = name === 'mute'
    if (named === undefined) {
      const settings = await triggers.alerts.change({ muted })
      cli.print(command, settings, () => settingsLines(settings))
      return
    }
    const id = await resolveTriggerId(triggers, named)
    const settings = await triggers.alerts.changeTrigger(id, { muted })
    cli.print(command, settings, () => triggerSettingsLines([settings]))
  })
}

type GivenThreshold = number | 'default'
type GivenThresholds = { failureRate?: GivenThreshold; queueShare?: GivenThreshold }

function registerThresholds(alerts: Command, cli: Cli): void {
  const command = alerts
    .command('thresholds')
    .description('Change the alert thresholds of a trigger.')
    .argument('<trigger>', TRIGGER_ARGUMENT)
    .option('--failure-rate <share>', 'share of failed runs, 0.01 to 1, or default', thresholdOf)
    .option('--queue-share <share>', 'share of queued runs, 0.01 to 1, or default', thresholdOf)
  cli.withDeploymentOptions(command)
  addExamples(command, ['svc alerts thresholds orders --failure-rate 0.1'])
  command.action(async (named: string, { failureRate, queueShare }: GivenThresholds) => {
    if (failureRate === undefined && queueShare === undefined)
      throw new UsageError('nothing to change: use --failure-rate or --queue-share')
    const { triggers } = await cli.client(command, { token: true })
    const id = await resolveTriggerId(triggers, named)
    const thresholds = {
      ...(failureRate !== undefined && { failure_rate: shareOf(failureRate) }),
      ...(queueShare !== undefined && { queue_share: shareOf(queueShare) }),
    }
    const settings = await triggers.alerts.changeTrigger(id, { thresholds })
    cli.print(command, settings, () => triggerSettingsLines([settings]))
  })
}

const shareOf = (given: GivenThreshold) => (given === 'default' ? null : given)

/** @throws {InvalidArgumentError} */
function thresholdOf(text: string): GivenThreshold {
  if (text === 'default') return text
  const threshold = Number(text)
  if (threshold >= 0.01 && threshold <= 1) return threshold
  throw new InvalidArgumentError('Expected a number from 0.01 to 1, or default.')
}

function registerTest(alerts: Command, cli: Cli): void {
  const command = alerts.command('test').description('Send yourself a test alert by mail.')
  cli.withDeploymentOptions(command)
  addExamples(command, ['svc alerts test'])
  command.action(async () => {
    const { triggers } = await cli.client(command, { token: true })
    const delivery = await triggers.alerts.test('mail')
    cli.print(command, delivery, () => ['a mail is being sent'])
  })
}

function registerDeliveries(alerts: Command, cli: Cli): void {
  const command = alerts
    .command('deliveries')
    .description('List the alerts of the last 30 days, newest first.')
    .option('--channel <id>', 'only alerts to this channel', channelId)
  cli.withDeploymentOptions(command)
  addExamples(command, ['svc alerts deliveries'])
  command.action(async ({ channel }: { channel?: number }) => {
    const { triggers } = await cli.client(command, { token: true })
    const filter = channel === undefined ? {} : { channelId: channel }
    const deliveries = await triggers.alerts.deliveries(filter).all()
    cli.print(command, deliveries, () => deliveryLines(deliveries))
  })
}

function deliveryLines(deliveries: readonly AlertDelivery[]): string[] {
  if (deliveries.length === 0) return ['no deliveries']
  return columns(
    deliveries.map(
      ({ created_at, channel, channel_id, state, test, attempts, status_code, error }) => [
        formatUtcTime(created_at),
        channel_id === null ? channel : `${channel} ${channel_id}`,
        state,
        test ? 'test' : 'alert',
        attempts === 1 ? '1 attempt' : `${attempts} attempts`,
        status_code === null ? '-' : String(status_code),
        error ?? '-',
      ],
    ),
  )
}

function incidentLines(incidents: readonly Incident[]): string[] {
  if (incidents.length === 0) return ['no incidents']
  return columns(
    incidents.map(
      ({ trigger_name, subject, signal, state, opened_at, count, code, last_run_id }) => [
        formatUtcTime(opened_at),
        state,
        trigger_name ?? subject ?? '-',
        signal,
        code ?? '-',
        String(count),
        last_run_id ?? '-',
      ],
    ),
  )
}

function settingsLines(settings: AlertSettings): string[] {
  const { signals, channels, available_channels, muted, thresholds, triggers } = settings
  return [
    ...facts({
      signals: signals.join(', ') || 'none',
      channels: channels.join(', ') || 'none',
      available: available_channels.join(', ') || 'none',
      muted: muted ? 'yes' : 'no',
      'expiry days': String(thresholds.expiry_days),
      'credit cents': String(thresholds.credit_cents),
    }),
    ...triggerSettingsLines(triggers),
  ]
}

function triggerSettingsLines(triggers: readonly TriggerAlertSettings[]): string[] {
  return columns(
    triggers.map(({ trigger_id, signals, channels, muted, thresholds }) => [
      trigger_id,
      muted ? 'muted' : 'not muted',
      ...(signals ? [`signals: ${signals.join(', ')}`] : []),
      ...(channels ? [`channels: ${channels.join(', ')}`] : []),
      // A deployment of an earlier version returns no thresholds.
      ...Object.entries(thresholds ?? {})
        .filter(([, share]) => share !== null)
        .map(([signal, share]) => `${signal}: ${share}`),
    ]),
  )
}
