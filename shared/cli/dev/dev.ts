import type { Command } from 'commander'
import type { Run } from '../../client/triggers/records.ts'
import { type Cli, createCli } from '../cli.ts'
import { type GivenParams, paramsOf } from '../commands/option-values.ts'
import { runAndPrint } from '../commands/run/run-action.ts'
import { reportFailure, watchSource } from '../commands/run/watch-source.ts'
import { resolveTriggerId } from '../commands/trigger/resolve-ids.ts'
import type { DeploymentOptions } from '../deployment.ts'
import { DEV_KEY, ensureDevKey } from '../listen/dev-key.ts'
import {
  deployedTrigger,
  replayAndPrint,
  replayEvents,
  requireOtherTrigger,
  selectionOf,
} from '../listen/listen.ts'
import type { LocalTarget } from '../listen/local-target.ts'
import { type Replay, replayWithAction, replayWithTrigger } from '../listen/replay.ts'
import { EXIT, UsageError } from '../terminal.ts'
import { openStack, StackStoppedError } from './open-stack.ts'

export type GivenDev = DeploymentOptions &
  GivenParams & {
    trigger?: string
    listen?: string
    last?: string
    once?: boolean
    stateDir?: string
  }

/** @returns the exit code */
export async function dev(
  file: string,
  given: GivenDev,
  command: Command,
  { terminal, exit }: Cli,
): Promise<number> {
  requireValid(file, given)
  // Ends the watchers and the requests when the stack stops.
  const stopping = new AbortController()
  const signal = AbortSignal.any([terminal.signal, stopping.signal])
  const cli = createCli({ ...terminal, signal }, exit)
  try {
    // Fails before a stack is started.
    await (isProject(file) ? cli.text(file) : cli.actionSource(file))
    const stack = await openStack(cli, given.stateDir)
    try {
      const { baseUrl, triggersUrl } = stack.target.stack
      for (const line of [`Local stack  ${baseUrl}`, `Console      ${triggersUrl}/console`])
        cli.warn(line)
      const session = { file, given, target: stack.target, command, cli }
      const ended = isProject(file) ? developProject(session) : developAction(session)
      return await Promise.race([stack.stopped, ended])
    } finally {
      stopping.abort()
      await stack.close()
    }
  } catch (error) {
    if (!(error instanceof StackStoppedError) || terminal.signal.aborted) throw error
    cli.warn(`svc: ${error.message}`)
    return EXIT.unavailable
  }
}

const isProject = (file: string) => file.endsWith('.json')

function requireValid(file: string, given: GivenDev): void {
  const { listen, last, once, triggersUrl, ca } = given
  if (file === '-') throw new UsageError('svc dev needs a file, not standard input')
  if (listen !== undefined && once)
    throw new UsageError('--once cannot be combined with --listen: use svc listen with --no-follow')
  if (listen === undefined && (last ?? triggersUrl ?? ca) !== undefined)
    throw new UsageError('--last, --triggers-url and --ca need --listen')
  if (
    isProject(file) &&
    listen === undefined &&
    (given.trigger ?? given.params ?? given.paramsFile)
  )
    throw new UsageError('--trigger, --params and --params-file need an action or --listen')
}

type Session = { file: string; given: GivenDev; target: LocalTarget; command: Command; cli: Cli }

/** Replays events with the local trigger that has the name of the deployed one, unless `--trigger` names another. */
async function developProject({ file, given, target, command, cli }: Session): Promise<number> {
  // Opens an account if there is none.
  await ensureDevKey(target)
  const { deployToStack, watchProject } = await import('./project.ts')
  if (given.once) {
    await deployToStack(file, target)
    return EXIT.ok
  }
  const params = (await paramsOf(cli, given)) ?? {}
  const deployed = await listenedTrigger(given, target, cli)
  const [begun, begin] = signalling()
  const watching = watchProject(file, target, begin, cli)
  const follow = async () => {
    if (!deployed) return
    const client = await target.client({ token: true })
    const local = await resolveTriggerId(client.triggers, given.trigger ?? (await deployed.name()))
    requireOtherTrigger(deployed.id, local)
    const replay = replayWithTrigger(client, local, params)
    await replayEvents(deployed, selectionOf(given), replay, command, cli)
  }
  // The watcher ends when the signal aborts, even if nothing could be deployed.
  await Promise.race([watching, begun.then(follow).then(() => watching)])
  return EXIT.interrupted
}

async function listenedTrigger({ listen, ...given }: GivenDev, target: LocalTarget, cli: Cli) {
  return listen === undefined ? undefined : deployedTrigger(listen, given, target, cli)
}

/** @returns a promise, and the function that resolves it */
function signalling(): [Promise<void>, () => void] {
  let resolve = () => {}
  const promise = new Promise<void>((signalled) => (resolve = signalled))
  return [promise, resolve]
}

async function developAction({ file, given, target, command, cli }: Session): Promise<number> {
  const js_params = (await paramsOf(cli, given)) ?? {}
  const usage_api_key = await ensureDevKey(target)
  const needs = { key: 'usage', token: given.trigger !== undefined } as const
  const client = await target.client(needs, { keyName: DEV_KEY })
  const local =
    given.trigger === undefined ? undefined : await resolveTriggerId(client.triggers, given.trigger)
  const deployed = await listenedTrigger(given, target, cli)
  if (local !== undefined && deployed) requireOtherTrigger(deployed.id, local)

  let code = await cli.actionSource(file)
  let last: Run | undefined
  const replay: Replay =
    local === undefined
      ? replayWithAction(client, async () => code, js_params)
      : replayWithTrigger(client, local, js_params)
  const onSource = async (source: string) => {
    code = source
    if (local !== undefined) {
      const { action_cid } = await client.triggers.patch(local, {
        action_code: code,
        usage_api_key,
      })
      cli.terminal.write(`Updated ${local}: ${action_cid}\n`)
    } else if (!deployed) await runAndPrint(client, { code, js_params }, {}, command, cli)
    else if (last) await replayAndPrint(last, replay, command, cli)
  }
  if (given.once) {
    await onSource(code)
    return EXIT.ok
  }
  const follow = async () => {
    if (!deployed) return
    const remembered: Replay = (run) => replay((last = run))
    await replayEvents(deployed, selectionOf(given), remembered, command, cli)
  }
  const [begun, begin] = signalling()
  const watching = watchSource(file, cli, async (source) => {
    await onSource(source).catch((error: unknown) => reportFailure(error, cli))
    cli.progress(command, `Waiting for changes to ${file}. Press Ctrl-C to stop.`)
    begin()
  })
  // Events wait for the first update of the local trigger.
  await Promise.race([watching, begun.then(follow).then(() => watching)])
  return EXIT.interrupted
}
