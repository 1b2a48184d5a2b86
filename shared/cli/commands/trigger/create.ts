import type { Command } from 'commander'
import type { TriggerFields } from '../../../client/triggers/records.ts'
import type { TriggerOperations } from '../../../client/triggers/triggers.ts'
import type { Cli } from '../../cli.ts'
import { addExamples } from '../examples.ts'
import { UsageError } from '../../terminal.ts'
import { type GivenFields, givenFields, withLimitOptions, withFiringOptions } from './fields.ts'
import { previewLines, recentEventLines, triggerLines, warningLines } from './trigger-lines.ts'
import { TRIGGER_ARGUMENT, resolveTriggerId } from './resolve-ids.ts'

export function registerCreate(trigger: Command, cli: Cli): void {
  const command = trigger
    .command('create')
    .description(
      'Create a trigger that runs an action. Use one of --webhook, --cron, --at and --chain.',
    )
    .argument('[action]', 'JavaScript or TypeScript file; - for standard input')
    .option('--disabled', 'create the trigger disabled, until svc trigger enable')
  withFiringOptions(withLimitOptions(command))
  cli.withDeploymentOptions(cli.withUsageKey(command))
  command.option(
    '--usage-key-of <trigger>',
    'use the usage key of another trigger: its ID or unique name',
  )
  addExamples(command, [
    'svc trigger create action.js --name greeter --webhook',
    'svc trigger create action.js --name again --webhook --usage-key-of greeter',
    `svc trigger create action.js --name "each morning" --cron "0 7 * * 1-5" --params city=Oslo --disabled`,
  ])
  type Created = GivenFields & KeyOptions & { disabled?: true }
  command.action(async (action: string | undefined, given: Created) => {
    const fields = requireCreateFields({
      ...(await givenFields(cli, given)),
      ...(action !== undefined && { action_code: await cli.actionSource(action) }),
      ...(given.disabled && { enabled: false }),
    })
    const usage_api_key = await usageKeyFor(cli, command, given, fields)
    const { triggers } = await cli.client(command, { token: true })
    const usage_key_of =
      given.usageKeyOf === undefined
        ? fields.usage_key_of
        : await resolveTriggerId(triggers, given.usageKeyOf)
    const chosen = { usage_api_key, usage_key_of }
    const stored = await triggers.create({ ...fields, ...chosen })
    const next = stored.next_run_at ? await ticksOf(triggers, stored) : []
    cli.print(command, stored, () => [...triggerLines(stored, next), ...warningLines(stored)])
  })
}

export function registerUpdate(trigger: Command, cli: Cli): void {
  const command = trigger
    .command('update')
    .description(
      'Change a trigger. Fields that are not given stay unchanged. The kind cannot change.',
    )
    .argument('<trigger>', TRIGGER_ARGUMENT)
    .option('--action <file>', 'JavaScript or TypeScript file; - for standard input')
    .option('--new-usage-key', 'store another usage key, selected as in create')
  withFiringOptions(withLimitOptions(command))
  cli.withDeploymentOptions(cli.withUsageKey(command))
  addExamples(command, [
    'svc trigger update greeter --max-runs-per-minute 30 --params greeting=hello',
  ])
  type Changed = GivenFields & { action?: string; newUsageKey?: true; usageKeyFile?: string }
  command.action(async (named: string, given: Changed) => {
    const { kind: _fixed, ...changes } = {
      ...(await givenFields(cli, given)),
      ...(given.action !== undefined && { action_code: await cli.actionSource(given.action) }),
    }
    // The stored usage key is replaced only on request. A usage key in the environment does not count as a request.
    if (given.newUsageKey || given.usageKeyFile !== undefined)
      changes.usage_api_key = await cli.usageKey(command)
    if (Object.keys(changes).length === 0)
      throw new UsageError('nothing to change: use at least one option')
    const { triggers } = await cli.client(command, { token: true })
    const stored = await triggers.patch(await resolveTriggerId(triggers, named), changes)
    cli.print(command, stored, () => [...triggerLines(stored), ...warningLines(stored)])
  })
}

export function registerPreview(trigger: Command, cli: Cli): void {
  const command = trigger
    .command('preview')
    .description('Show what a trigger would do without creating it: next ticks, last logs, params.')
    .option(
      '--events-of <trigger>',
      'evaluate the expressions of --option on the latest events of this trigger',
    )
  cli.withDeploymentOptions(withFiringOptions(command))
  addExamples(command, [
    'svc trigger preview --cron "*/5 * * * *"',
    'svc trigger preview --cron "0 9 * * 1-5" --timezone Europe/Berlin',
    `svc trigger preview --events-of greeter --option 'filter=has(event.name)'`,
  ])
  command.action(async ({ eventsOf, ...given }: GivenFields & { eventsOf?: string }) => {
    if (eventsOf !== undefined) return previewEvents(cli, command, eventsOf, given)
    const { kind, config = {}, default_params = {}, options = {} } = await givenFields(cli, given)
    if (kind === undefined) throw new UsageError(KINDS)
    const { triggers } = await cli.client(command, { token: true })
    const preview = await triggers.preview({ kind, config, default_params, options })
    cli.print(command, preview, () => previewLines(preview))
  })
}

async function previewEvents(cli: Cli, command: Command, named: string, given: GivenFields) {
  const { triggers } = await cli.client(command, { token: true })
  const { id, kind, config, default_params } = await triggers.get(
    await resolveTriggerId(triggers, named),
  )
  const { options = {} } = await givenFields(cli, given)
  const fields = { kind, config, default_params, options, trigger_id: id }
  const preview = await triggers.preview(fields)
  cli.print(command, preview, () => recentEventLines(preview))
}

type KeyOptions = { usageKeyOf?: string; usageKeyFile?: string; keyName?: string }

/** Returns undefined if the new trigger gets the key of another trigger. */
async function usageKeyFor(
  cli: Cli,
  command: Command,
  { usageKeyOf, usageKeyFile, keyName }: KeyOptions,
  ofFile: Pick<TriggerFields, 'usage_api_key' | 'usage_key_of'>,
): Promise<string | undefined> {
  if (usageKeyOf !== undefined && (usageKeyFile !== undefined || keyName !== undefined))
    throw new UsageError('use only one of --usage-key-of, --usage-key-file and --key-name')
  if (usageKeyOf !== undefined) return undefined
  if (ofFile.usage_api_key === undefined && ofFile.usage_key_of !== undefined) return undefined
  return ofFile.usage_api_key ?? cli.usageKey(command)
}

const KINDS = 'use one of --at, --webhook, --cron and --chain'

type Given = Awaited<ReturnType<typeof givenFields>>

/** Checks the required fields before a usage key is read. */
function requireCreateFields({ kind, name, action_code, ...fields }: Given) {
  if (action_code === undefined) throw new UsageError('no action: name its source file')
  if (kind === undefined) throw new UsageError(KINDS)
  if (name === undefined) throw new UsageError('no name: use --name')
  return { ...fields, kind, name, action_code }
}

async function ticksOf(
  triggers: TriggerOperations,
  { kind, config }: Pick<TriggerFields, 'kind' | 'config'>,
): Promise<string[]> {
  // The preview is optional, because the trigger has already been created. A failure is ignored.
  const preview = await triggers.preview({ kind, config }).catch(() => undefined)
  return preview?.next ?? []
}
