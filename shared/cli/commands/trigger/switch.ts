import type { Command } from 'commander'
import type { Cli } from '../../cli.ts'
import { examples } from '../examples.ts'
import { printable } from '../../terminal.ts'
import { triggerLines } from './trigger-lines.ts'
import { TRIGGER, triggerNamed } from './which.ts'

export function registerSwitches(trigger: Command, cli: Cli): void {
  registerSwitch(
    trigger,
    cli,
    'enable',
    'Enable a trigger. Webhooks posted while it was disabled are lost.',
  )
  registerSwitch(trigger, cli, 'disable', 'Disable a trigger until it is enabled again.')
}

function registerSwitch(
  trigger: Command,
  cli: Cli,
  name: 'enable' | 'disable',
  says: string,
): void {
  const command = trigger.command(name).description(says).argument('<trigger>', TRIGGER)
  cli.atDeployment(command)
  examples(command, [`svc trigger ${name} greeter`])
  command.action(async (named: string) => {
    const { triggers } = await cli.client(command, { token: true })
    const id = await triggerNamed(triggers, named)
    const stored = await triggers.patch(id, { enabled: name === 'enable' })
    cli.say(command, stored, () => triggerLines(stored))
  })
}

export function registerDelete(trigger: Command, cli: Cli): void {
  const command = trigger
    .command('delete')
    .description('Delete a trigger and its history. This cannot be undone.')
    .argument('<trigger>', TRIGGER)
    .option('--yes', 'do not ask for confirmation')
  cli.atDeployment(command)
  examples(command, ['svc trigger delete greeter --yes'])
  command.action(async (named: string, { yes }: { yes?: true }) => {
    const { triggers } = await cli.client(command, { token: true })
    const id = await triggerNamed(triggers, named)
    if (!yes && !(await cli.confirm(`Delete ${printable(named)} and all of its runs?`))) return
    await triggers.delete(id)
    cli.say(command, { deleted: id }, () => [`deleted ${id}`])
  })
}

export function registerPurge(trigger: Command, cli: Cli): void {
  const command = trigger
    .command('purge')
    .description('Cancel all queued runs of a trigger, which then count as failed.')
    .argument('<trigger>', TRIGGER)
    .option('--yes', 'do not ask for confirmation')
  cli.atDeployment(command)
  examples(command, ['svc trigger purge greeter --yes'])
  command.action(async (named: string, { yes }: { yes?: true }) => {
    const { triggers } = await cli.client(command, { token: true })
    const id = await triggerNamed(triggers, named)
    if (!yes && !(await cli.confirm(`Cancel all queued runs of ${printable(named)}?`))) return
    const purged = await triggers.purge(id)
    cli.say(command, purged, () => [`${purged.cancelled} runs cancelled`])
  })
}
