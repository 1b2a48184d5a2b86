import { type Command, InvalidArgumentError } from 'commander'
import type { AlertChannel, AlertChannelWithSecret } from '../../client/triggers/alert-channels.ts'
import { ALERT_SIGNALS, type AlertSignal } from '../../wire/alert-signals.ts'
import type { Cli } from '../cli.ts'
import { UsageError } from '../terminal.ts'
import { columns, facts } from './columns.ts'
import { addExamples } from './examples.ts'
import { collectOption } from './option-values.ts'
import { resolveTriggerId, TRIGGER_ARGUMENT } from './trigger/resolve-ids.ts'

export function registerAlertChannels(alerts: Command, cli: Cli): void {
  const channel = alerts
    .command('channel')
    .description('Manage the webhooks and triggers that receive your alerts.')
  registerAddWebhook(channel, cli)
  registerAddTrigger(channel, cli)
  registerList(channel, cli)
  registerTest(channel, cli)
  registerRotate(channel, cli)
  registerSwitch(channel, cli, 'disable')
  registerSwitch(channel, cli, 'enable')
  registerDelete(channel, cli)
}

type Given = { name: string; signal?: string[]; trigger?: string[] }

function withFilters(command: Command): Command {
  return command
    .option('--name <text>', 'name of the channel', 'alerts')
    .option(
      '--signal <signal>',
      `only alerts about this signal, repeatable: ${ALERT_SIGNALS.join(', ')}`,
      collectOption,
    )
    .option(
      '--trigger <trigger>',
      'only alerts about this trigger, repeatable: its ID or unique name',
      collectOption,
    )
}

function registerAddWebhook(channel: Command, cli: Cli): void {
  const command = withFilters(
    cli.command(channel, 'add-webhook', 'Send alerts to a URL, and print the signing secret.'),
  ).argument('<url>', 'https URL that receives the alerts')
  addExamples(command, [
    'svc alerts channel add-webhook https://hooks.example.com/svc --name on-call',
  ])
  command.action(async (url: string, given: Given) => {
    const { triggers } = await cli.client(command, { token: true })
    const filters = await filtersOf(given, (named) => resolveTriggerId(triggers, named))
    const fields = { type: 'webhook', name: given.name, url, ...filters } as const
    const added = await triggers.alerts.channels.create(fields)
    cli.print(command, added, () => secretLines(added))
  })
}

function registerAddTrigger(channel: Command, cli: Cli): void {
  const command = withFilters(
    cli.command(channel, 'add-trigger', 'Fire one of your webhook triggers with each alert.'),
  ).argument('<receiver>', TRIGGER_ARGUMENT)
  addExamples(command, ['svc alerts channel add-trigger on-call'])
  command.action(async (receiver: string, given: Given) => {
    const { triggers } = await cli.client(command, { token: true })
    const resolve = (named: string) => resolveTriggerId(triggers, named)
    const filters = await filtersOf(given, resolve)
    const trigger_id = await resolve(receiver)
    const fields = { type: 'trigger', name: given.name, trigger_id, ...filters } as const
    const added = await triggers.alerts.channels.create(fields)
    cli.print(command, added, () => channelLines([added]))
  })
}

function registerList(channel: Command, cli: Cli): void {
  const command = cli.command(channel, 'list', 'List the channels.')
  addExamples(command, ['svc alerts channel list'])
  command.action(async () => {
    const { triggers } = await cli.client(command, { token: true })
    const channels = await triggers.alerts.channels.list()
    cli.print(command, channels, () => channelLines(channels))
  })
}

function registerTest(channel: Command, cli: Cli): void {
  const command = cli
    .command(channel, 'test', 'Send a test alert to a channel.')
    .argument('<id>', 'ID of the channel', channelId)
  addExamples(command, ['svc alerts channel test 1'])
  command.action(async (id: number) => {
    const { triggers } = await cli.client(command, { token: true })
    const delivery = await triggers.alerts.channels.test(id)
    cli.print(command, delivery, () => [
      `a test alert is being sent; see: svc alerts deliveries --channel ${id}`,
    ])
  })
}

function registerRotate(channel: Command, cli: Cli): void {
  const command = cli
    .command(channel, 'rotate-secret', 'Replace the secret of a webhook, and print the new one.')
    .argument('<id>', 'ID of the channel', channelId)
  addExamples(command, ['svc alerts channel rotate-secret 1'])
  command.action(async (id: number) => {
    const { triggers } = await cli.client(command, { token: true })
    const rotated = await triggers.alerts.channels.rotateSecret(id)
    cli.print(command, rotated, () => secretLines(rotated))
  })
}

function registerSwitch(channel: Command, cli: Cli, name: 'enable' | 'disable'): void {
  const enabled = name === 'enable'
  const description = enabled ? 'Send alerts to a channel again.' : 'Send no alerts to a channel.'
  const command = cli
    .command(channel, name, description)
    .argument('<id>', 'ID of the channel', channelId)
  addExamples(command, [`svc alerts channel ${name} 1`])
  command.action(async (id: number) => {
    const { triggers } = await cli.client(command, { token: true })
    const changed = await triggers.alerts.channels.change(id, { enabled })
    cli.print(command, changed, () => channelLines([changed]))
  })
}

function registerDelete(channel: Command, cli: Cli): void {
  const command = cli
    .command(channel, 'delete', 'Delete a channel.')
    .argument('<id>', 'ID of the channel', channelId)
  addExamples(command, ['svc alerts channel delete 1'])
  command.action(async (id: number) => {
    const { triggers } = await cli.client(command, { token: true })
    await triggers.alerts.channels.delete(id)
    cli.print(command, { id, deleted: true }, () => [`channel ${id} deleted`])
  })
}

async function filtersOf({ signal, trigger }: Given, resolve: (named: string) => Promise<string>) {
  return {
    ...(signal && { signals: signal.map(signalOf) }),
    ...(trigger && { trigger_ids: await Promise.all(trigger.map(resolve)) }),
  }
}

/** @throws {InvalidArgumentError} */
export function channelId(text: string): number {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('Expected the ID of a channel, which is a number.')
}

/** @throws {UsageError} */
export function signalOf(text: string): AlertSignal {
  const signal = ALERT_SIGNALS.find((each) => each === text)
  if (signal) return signal
  throw new UsageError(`--signal: expected one of: ${ALERT_SIGNALS.join(', ')}`)
}

function secretLines({ id, name, url, secret }: AlertChannelWithSecret): string[] {
  return [
    ...facts({ channel: String(id), name, url: url ?? undefined, secret: secret ?? undefined }),
    'Store the secret now: it is not shown again.',
  ]
}

function channelLines(channels: readonly AlertChannel[]): string[] {
  if (channels.length === 0) return ['no channels']
  return columns(
    channels.map(
      ({
        id,
        type,
        name,
        disabled_reason,
        url,
        trigger_id,
        signals,
        trigger_ids,
        failing_since,
      }) => [
        String(id),
        type,
        name,
        disabled_reason === null ? 'enabled' : `disabled (${disabled_reason})`,
        url ?? trigger_id ?? '-',
        ...(signals ? [`signals: ${signals.join(', ')}`] : []),
        ...(trigger_ids ? [`triggers: ${trigger_ids.join(', ')}`] : []),
        ...(failing_since === null ? [] : [`failing since ${failing_since}`]),
      ],
    ),
  )
}
