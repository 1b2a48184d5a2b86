/** `svc trigger enable`, `disable`, `delete` and `purge`. */
import type { Command } from 'commander'
import type { Cli } from '../../cli.ts'
import { examples } from '../examples.ts'
import { printable } from '../../terminal.ts'
import { triggerLines } from './trigger-lines.ts'
import { TRIGGER, triggerNamed } from './which.ts'

export function registerSwitches(trigger: Command, cli: Cli): void {
  registerSwitch(trigger, cli, 'enable', 'It fires again. What a sender posted meanwhile is lost.')
  registerSwitch(trigger, cli, 'disable', 'Nothing fires it, until it is enabled.')
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
    .description('Deletes a trigger with its history. It cannot be had back.')
    .argument('<trigger>', TRIGGER)
    .option('--yes', 'without asking')
  cli.atDeployment(command)
  examples(command, ['svc trigger delete greeter --yes'])
  command.action(async (named: string, { yes }: { yes?: true }) => {
    const { triggers } = await cli.client(command, { token: true })
    const id = await triggerNamed(triggers, named)
    if (!yes && !(await cli.confirm(`Delete ${printable(named)} with all of its runs?`))) return
    await triggers.delete(id)
    cli.say(command, { deleted: id }, () => [`deleted ${id}`])
  })
}

export function registerPurge(trigger: Command, cli: Cli): void {
  const command = trigger
    .command('purge')
    .description('Ends all of its runs that are queued, as failed.')
    .argument('<trigger>', TRIGGER)
    .option('--yes', 'without asking')
  cli.atDeployment(command)
  examples(command, ['svc trigger purge greeter --yes'])
  command.action(async (named: string, { yes }: { yes?: true }) => {
    const { triggers } = await cli.client(command, { token: true })
    const id = await triggerNamed(triggers, named)
    if (!yes && !(await cli.confirm(`End all queued runs of ${printable(named)}?`))) return
    const purged = await triggers.purge(id)
    cli.say(command, purged, () => [`${purged.cancelled} runs ended`])
  })
}
