import type { Command } from 'commander'
import type { Cli, UsageKeyOptions } from '../cli.ts'
import type { DeploymentOptions } from '../deployment.ts'
import type { SelectionOptions } from '../listen/listen.ts'
import type { LocalTarget } from '../listen/local-target.ts'
import type { Replay } from '../listen/replay.ts'
import { EXIT, UsageError } from '../terminal.ts'
import { addExamples } from './examples.ts'
import { collectOption, type GivenParams, paramsOf } from './option-values.ts'
import { TRIGGER_ARGUMENT, resolveTriggerId } from './trigger/resolve-ids.ts'

type Given = DeploymentOptions &
  UsageKeyOptions &
  SelectionOptions &
  GivenParams & { action?: string; trigger?: string; stateDir?: string }

export function registerListen(program: Command, cli: Cli): void {
  const command = program
    .command('listen')
    .description(
      'Replay the events of a deployed trigger against the local stack, and compare the outcomes.',
    )
    .argument('<trigger>', TRIGGER_ARGUMENT)
    .option('--action <file>', 'run this source file on the local stack')
    .option('--trigger <trigger>', 'start test runs of this trigger of the local stack')
    .option('--last <n>', 'start with the last n runs')
    .option('--since <time>', 'start with the runs queued since this time (RFC 3339)')
    .option('--no-follow', 'exit after these runs; exit code 1 if a local run failed')
    .option(
      '--params <key=value>',
      'parameter that replaces that of the event; the value is JSON or text; can be repeated',
      collectOption,
    )
    .option('--params-file <file>', 'file with such parameters as a JSON object')
    .option('--state-dir <folder>', 'state folder of the stack (SVC_STATE_DIR; default: .svc)')
  cli.withUsageKey(cli.withDeploymentOptions(command))
  addExamples(command, ['svc listen greeter --last 1 --action action.js --no-follow'])
  command.action(async (named: string, given: Given) => {
    const [{ requireLocalTarget }, { deployedTrigger, replayEvents, selectionOf }] =
      await Promise.all([import('../listen/local-target.ts'), import('../listen/listen.ts')])
    const selection = selectionOf(given)
    const target = requireLocalTarget(cli, given.stateDir)
    const trigger = await deployedTrigger(named, given, target, cli)
    const replay = await replayOf(given, trigger.id, target, cli)
    const isGood = await replayEvents(trigger, selection, replay, command, cli)
    if (!isGood) cli.exit(EXIT.failed)
  })
}

async function replayOf(
  given: Given,
  deployedId: string,
  target: LocalTarget,
  cli: Cli,
): Promise<Replay> {
  const { action, trigger } = given
  const overrides = (await paramsOf(cli, given)) ?? {}
  const [{ replayWithAction, replayWithTrigger }, { requireOtherTrigger }] = await Promise.all([
    import('../listen/replay.ts'),
    import('../listen/listen.ts'),
  ])
  if (action !== undefined && trigger === undefined) {
    const source = () => cli.actionSource(action)
    // Fails before the first event if the file does not exist.
    await source()
    const client = await target.client({ key: 'usage' }, await usageKeyOptions(given, target))
    return replayWithAction(client, source, overrides)
  }
  if (trigger === undefined || action !== undefined)
    throw new UsageError('use either --action or --trigger')
  const client = await target.client({ token: true })
  const id = await resolveTriggerId(client.triggers, trigger)
  requireOtherTrigger(deployedId, id)
  return replayWithTrigger(client, id, overrides)
}

async function usageKeyOptions(
  { usageKeyFile, keyName }: UsageKeyOptions,
  target: LocalTarget,
): Promise<UsageKeyOptions> {
  if (usageKeyFile !== undefined || keyName !== undefined)
    return { ...(usageKeyFile && { usageKeyFile }), ...(keyName && { keyName }) }
  const { DEV_KEY, ensureDevKey } = await import('../listen/dev-key.ts')
  await ensureDevKey(target)
  return { keyName: DEV_KEY }
}
