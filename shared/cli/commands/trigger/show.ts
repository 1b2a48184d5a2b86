import type { Command } from 'commander'
import type { TriggerFilter } from '../../../client/triggers/records.ts'
import type { Cli } from '../../cli.ts'
import { examples } from '../examples.ts'
import { triggerLines, triggersLines } from './trigger-lines.ts'
import { printable } from '../../terminal.ts'
import { TRIGGER, triggerNamed } from './which.ts'

type Given = { kind?: NonNullable<TriggerFilter['kind']>; enabled?: true; disabled?: true }

export function registerList(trigger: Command, cli: Cli): void {
  const command = trigger
    .command('list')
    .description('List your triggers, newest first.')
    .option('--kind <kind>', 'only triggers of this kind: webhook, schedule or chain_event')
    .option('--enabled', 'only enabled triggers')
    .option('--disabled', 'only disabled triggers')
  cli.atDeployment(command)
  examples(command, ['svc trigger list', 'svc trigger list --kind webhook --json'])
  command.action(async ({ kind, enabled, disabled }: Given) => {
    const { triggers } = await cli.client(command, { token: true })
    const filter = {
      ...(kind && { kind }),
      ...(enabled !== disabled && { enabled: enabled === true }),
    }
    const all = await triggers.list(filter).all()
    cli.say(command, all, () => (all.length === 0 ? ['no triggers'] : triggersLines(all)))
  })
}

export function registerShow(trigger: Command, cli: Cli): void {
  const command = trigger
    .command('show')
    .description('Show a trigger and its statistics.')
    .argument('<trigger>', TRIGGER)
    .option('--code', 'print only its source')
  cli.atDeployment(command)
  examples(command, ['svc trigger show greeter', 'svc trigger show greeter --code'])
  command.action(async (named: string, { code }: { code?: true }) => {
    const { triggers } = await cli.client(command, { token: true })
    const shown = await triggers.get(await triggerNamed(triggers, named))
    if (!code) return cli.say(command, shown, () => triggerLines(shown))
    const { action_code: source } = shown
    // If standard output is redirected, the source is printed unmodified.
    if (!cli.terminal.isTerminal) return cli.terminal.write(source)
    cli.terminal.write(`${source.split('\n').map(printable).join('\n')}\n`)
  })
}
