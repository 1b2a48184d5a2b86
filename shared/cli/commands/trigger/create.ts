/** `svc trigger create`, `update` and `preview`. */
import type { Command } from 'commander'
import type { TriggerFields } from '../../../client/triggers/records.ts'
import type { TriggerOperations } from '../../../client/triggers/triggers.ts'
import type { Cli } from '../../cli.ts'
import { examples } from '../examples.ts'
import { UsageError } from '../../terminal.ts'
import { type GivenFields, givenFields, takesCaps, takesFiring } from './fields.ts'
import { previewLines, triggerLines, warningLines } from './trigger-lines.ts'
import { TRIGGER, triggerNamed } from './which.ts'

export function registerCreate(trigger: Command, cli: Cli): void {
  const command = trigger
    .command('create')
    .description('Makes a trigger that runs an action. A key and what fires it have to be named.')
    .argument('[action]', 'the file with the JavaScript; - for standard input')
    .option('--disabled', 'nothing fires it until svc trigger enable')
  takesFiring(takesCaps(command))
  cli.atDeployment(cli.withUsageKey(command))
  examples(command, [
    'svc trigger create action.js --name greeter --webhook',
    `svc trigger create action.js --name "each morning" --cron "0 7 * * 1-5" --params city=Oslo --disabled`,
  ])
  command.action(async (action: string | undefined, given: GivenFields & { disabled?: true }) => {
    const fields = creatable({
      ...(await givenFields(cli, given)),
      ...(action !== undefined && { action_code: await cli.text(action) }),
      ...(given.disabled && { enabled: false }),
    })
    const usage_api_key = fields.usage_api_key ?? (await cli.usageKey(command))
    const { triggers } = await cli.client(command, { token: true })
    const stored = await triggers.create({ ...fields, usage_api_key })
    const next = stored.next_run_at ? await ticksOf(triggers, stored) : []
    cli.say(command, stored, () => [...triggerLines(stored, next), ...warningLines(stored)])
  })
}

export function registerUpdate(trigger: Command, cli: Cli): void {
  const command = trigger
    .command('update')
    .description('Changes a trigger: what is not named stays as it is. Its kind is fixed.')
    .argument('<trigger>', TRIGGER)
    .option('--action <file>', 'the file with the JavaScript; - for standard input')
    .option('--new-usage-key', 'stores another usage key, found as create finds it')
  takesFiring(takesCaps(command))
  cli.atDeployment(cli.withUsageKey(command))
  examples(command, ['svc trigger update greeter --max-runs-per-minute 30 --params greeting=hello'])
  type Changed = GivenFields & { action?: string; newUsageKey?: true; usageKeyFile?: string }
  command.action(async (named: string, given: Changed) => {
    const { kind: _fixed, ...changes } = {
      ...(await givenFields(cli, given)),
      ...(given.action !== undefined && { action_code: await cli.text(given.action) }),
    }
    // A usage key in the environment alone does not replace the trigger's key.
    if (given.newUsageKey || given.usageKeyFile !== undefined)
      changes.usage_api_key = await cli.usageKey(command)
    if (Object.keys(changes).length === 0) throw new UsageError('update takes what is to change')
    const { triggers } = await cli.client(command, { token: true })
    const stored = await triggers.patch(await triggerNamed(triggers, named), changes)
    cli.say(command, stored, () => [...triggerLines(stored), ...warningLines(stored)])
  })
}

export function registerPreview(trigger: Command, cli: Cli): void {
  const command = trigger
    .command('preview')
    .description('Says what a trigger would do, and makes none: next ticks, last logs, params.')
  cli.atDeployment(takesFiring(command))
  examples(command, ['svc trigger preview --cron "*/5 * * * *"'])
  command.action(async (given: GivenFields) => {
    const { kind, config = {}, default_params = {}, options = {} } = await givenFields(cli, given)
    if (kind === undefined) throw new UsageError(KINDS)
    const { triggers } = await cli.client(command, { token: true })
    const preview = await triggers.preview({ kind, config, default_params, options })
    cli.say(command, preview, () => previewLines(preview))
  })
}

const KINDS = 'say what fires it: --webhook, --cron or --chain'

type Given = Awaited<ReturnType<typeof givenFields>>

/** Checks required fields locally, before a usage key is looked up. */
function creatable({ kind, name, action_code, ...fields }: Given) {
  if (action_code === undefined) throw new UsageError('name the file of the action')
  if (kind === undefined) throw new UsageError(KINDS)
  if (name === undefined) throw new UsageError('give it a name: --name')
  return { ...fields, kind, name, action_code }
}

async function ticksOf(
  triggers: TriggerOperations,
  { kind, config }: Pick<TriggerFields, 'kind' | 'config'>,
): Promise<string[]> {
  // The trigger was created. Failing to show its next ticks is not an error.
  const preview = await triggers.preview({ kind, config }).catch(() => undefined)
  return preview?.next ?? []
}
