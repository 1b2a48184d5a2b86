import type { Command } from 'commander'
import type { Cli } from '../../cli.ts'
import { addExamples } from '../examples.ts'
import { printable } from '../../terminal.ts'
import { triggerLines } from './trigger-lines.ts'
import { TRIGGER_ARGUMENT, resolveTriggerId } from './resolve-ids.ts'

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
  description: string,
): void {
  const command = trigger
    .command(name)
    .description(description)
    .argument('<trigger>', TRIGGER_ARGUMENT)
  cli.withDeploymentOptions(command)
  addExamples(command, [`svc trigger ${name} greeter`])
  command.action(async (named: string) => {
    const { triggers } = await cli.client(command, { token: true })
    const id = await resolveTriggerId(triggers, named)
    const stored = await triggers.patch(id, { enabled: name === 'enable' })
    cli.print(command, stored, () => triggerLines(stored))
  })
}

export function registerDelete(trigger: Command, cli: Cli): void {
  const command = trigger
    .command('delete')
    .description('Delete a trigger and its history. This cannot be undone.')
    .argument('<trigger>', TRIGGER_ARGUMENT)
    .option('--yes', 'do not ask for confirmation')
  cli.withDeploymentOptions(command)
  addExamples(command, ['svc trigger delete greeter --yes'])
  command.action(async (named: string, { yes }: { yes?: true }) => {
    const { triggers } = await cli.client(command, { token: true })
    const id = await resolveTriggerId(triggers, named)
    if (!yes && !(await cli.confirm(`Delete ${printable(named)} and all of its runs?`))) return
    await triggers.delete(id)
    cli.print(command, { deleted: id }, () => [`deleted ${id}`])
  })
}

export function registerPurge(trigger: Command, cli: Cli): void {
  const command = trigger
    .command('purge')
    .description('Cancel all queued runs of a trigger, which then count as failed.')
    .argument('<trigger>', TRIGGER_ARGUMENT)
    .option('--yes', 'do not ask for confirmation')
  cli.withDeploymentOptions(command)
  addExamples(command, ['svc trigger purge greeter --yes'])
  command.action(async (named: string, { yes }: { yes?: true }) => {
    const { triggers } = await cli.client(command, { token: true })
    const id = await resolveTriggerId(triggers, named)
    if (!yes && !(await cli.confirm(`Cancel all queued runs of ${printable(named)}?`))) return
    const purged = await triggers.purge(id)
    cli.print(command, purged, () => [`${purged.cancelled} runs cancelled`])
  })
}
