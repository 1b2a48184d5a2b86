import type { Command } from 'commander'
import type { TriggerFilter } from '../../../client/triggers/records.ts'
import type { Cli } from '../../cli.ts'
import { addExamples } from '../examples.ts'
import { triggerLines, triggerListLines } from './trigger-lines.ts'
import { printable } from '../../terminal.ts'
import { TRIGGER_ARGUMENT, resolveTriggerId } from './resolve-ids.ts'

type Given = { kind?: NonNullable<TriggerFilter['kind']>; enabled?: true; disabled?: true }

export function registerList(trigger: Command, cli: Cli): void {
  const command = trigger
    .command('list')
    .description('List your triggers, newest first.')
    .option('--kind <kind>', 'only triggers of this kind: webhook, schedule or chain_event')
    .option('--enabled', 'only enabled triggers')
    .option('--disabled', 'only disabled triggers')
  cli.withDeploymentOptions(command)
  addExamples(command, ['svc trigger list', 'svc trigger list --kind webhook --json'])
  command.action(async ({ kind, enabled, disabled }: Given) => {
    const { triggers } = await cli.client(command, { token: true })
    const filter = {
      ...(kind && { kind }),
      ...(enabled !== disabled && { enabled: enabled === true }),
    }
    const all = await triggers.list(filter).all()
    cli.print(command, all, () => (all.length === 0 ? ['no triggers'] : triggerListLines(all)))
  })
}

export function registerShow(trigger: Command, cli: Cli): void {
  const command = trigger
    .command('show')
    .description('Show a trigger and its statistics.')
    .argument('<trigger>', TRIGGER_ARGUMENT)
    .option('--code', 'print only its source')
  cli.withDeploymentOptions(command)
  addExamples(command, ['svc trigger show greeter', 'svc trigger show greeter --code'])
  command.action(async (named: string, { code }: { code?: true }) => {
    const { triggers } = await cli.client(command, { token: true })
    const shown = await triggers.get(await resolveTriggerId(triggers, named))
    if (!code) return cli.print(command, shown, () => triggerLines(shown))
    const { action_code: source } = shown
    // If standard output is redirected, the action's source is printed unmodified.
    if (!cli.terminal.isTerminal) return cli.terminal.write(source)
    cli.terminal.write(`${source.split('\n').map(printable).join('\n')}\n`)
  })
}
