import { setTimeout as sleep } from 'node:timers/promises'
import type { Command } from 'commander'
import type { Run } from '../../client/triggers/records.ts'
import { retryWhileUnavailable } from '../../client/triggers/retry-while-unavailable.ts'
import { RUNS_PAGE_MAX } from '../../limits.ts'
import type { Cli } from '../cli.ts'
import { integerOf } from '../commands/option-values.ts'
import { resolveTriggerId } from '../commands/trigger/resolve-ids.ts'
import type { DeploymentOptions } from '../deployment.ts'
import { jsonText, printable, UsageError } from '../terminal.ts'
import { deployedEvents, type EventSelection } from './deployed-events.ts'
import { eventLines, isSame } from './event-lines.ts'
import { type LocalTarget, requireOtherDeployment } from './local-target.ts'
import { type Replay, retryUntilAccepted } from './replay.ts'

export type SelectionOptions = { last?: string; since?: string; follow?: boolean }

export function selectionOf({ last, since, follow = true }: SelectionOptions): EventSelection {
  if (last !== undefined && since !== undefined)
    throw new UsageError('use either --last or --since, not both')
  if (!follow && last === undefined && since === undefined)
    throw new UsageError('--no-follow needs past events: use --last or --since')
  const count = last === undefined ? undefined : integerOf('--last', last)
  if (count !== undefined && (count < 1 || count > RUNS_PAGE_MAX))
    throw new UsageError(`--last: expected a number from 1 to ${RUNS_PAGE_MAX}`)
  return { ...(count !== undefined && { last: count }), ...(since && { since }), follows: follow }
}

export type DeployedTrigger = {
  id: string
  name(): Promise<string>
  events(selection: EventSelection): ReturnType<typeof deployedEvents>
}

/**
 * Finds a trigger of the deployment of the options, the environment or the last login.
 * @throws {UsageError} if this deployment is the local stack
 */
export async function deployedTrigger(
  named: string,
  options: DeploymentOptions,
  { stack }: LocalTarget,
  cli: Cli,
): Promise<DeployedTrigger> {
  const source = { ...options, ignoresStack: true }
  requireOtherDeployment(await cli.deploymentFor(source), stack)
  const { triggers } = await cli.clientFor(source, { token: true })
  const id = await resolveTriggerId(triggers, named)
  const name = async () => (await triggers.get(id)).name
  const { random, signal } = cli.terminal
  const parts = { random, sleep: (ms: number) => sleep(ms, undefined, { signal }) }
  const wholeRun = (runId: string) =>
    retryWhileUnavailable(() => triggers.run(runId), parts, signal)
  return { id, name, events: (selection) => deployedEvents(triggers, id, selection, wholeRun) }
}

/** @throws {UsageError} if a trigger would receive its own events again */
export function requireOtherTrigger(deployedId: string, localId: string): void {
  if (deployedId !== localId) return
  throw new UsageError('both triggers are the same: each replay would be replayed again')
}

/**
 * Replays events, and prints the outcomes.
 * @returns true if all local runs succeeded
 */
export async function replayEvents(
  trigger: DeployedTrigger,
  selection: EventSelection,
  replay: Replay,
  command: Command,
  cli: Cli,
): Promise<boolean> {
  let isGood = true
  cli.progress(command, `Waiting for events of ${trigger.id}. Press Ctrl-C to stop.`)
  for await (const run of trigger.events(selection)) {
    try {
      isGood = (await replayAndPrint(run, replay, command, cli)) && isGood
    } catch (error) {
      // Without this time, a user could not continue with the event that was not replayed.
      if (!cli.terminal.signal.aborted)
        cli.warn(`Stopped. To continue with this event, use --since ${printable(run.queued_at)}`)
      throw error
    }
  }
  return isGood
}

/** @returns true if the local run succeeded */
export async function replayAndPrint(
  run: Run,
  replay: Replay,
  command: Command,
  cli: Cli,
): Promise<boolean> {
  const local = await retryUntilAccepted(replay, cli)(run)
  const asJson = command.opts<{ json?: boolean }>().json === true
  const lines = asJson
    ? [jsonText({ run, local, same: isSame(run, local) })]
    : eventLines(run, local)
  cli.terminal.write(`${lines.join('\n')}\n`)
  return local.status === 'success'
}
