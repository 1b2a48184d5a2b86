import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Command } from 'commander'
import type { ApiClient } from '../../../client/api/client.ts'
import type { ActionToRun } from '../../../client/core/execution.ts'
import { ActionFailed } from '../../../client/failures/action-failed.ts'
import type { Cli } from '../../cli.ts'
import { EXIT, jsonText, printable, UsageError } from '../../terminal.ts'
import { type GivenParams, paramsOf } from '../option-values.ts'
import { reportFailure, watchSource } from './watch-source.ts'

export type GivenRun = GivenParams & {
  watch?: boolean
  sealed?: boolean
  receipt?: string
  json?: boolean
}

/**
 * @returns the exit code
 * @throws {ActionFailed} if the action failed
 */
export async function runActionCommand(
  file: string,
  given: GivenRun,
  command: Command,
  cli: Cli,
): Promise<number> {
  const code = await cli.actionSource(file)
  const js_params = (await paramsOf(cli, given)) ?? {}
  const client = await cli.client(command, { key: 'usage' })
  return runAndPrint(client, { code, js_params }, given, command, cli)
}

/** @throws {ActionFailed} if the action failed, after its logs and stack were printed */
export async function runAndPrint(
  client: ApiClient,
  action: ActionToRun,
  given: Omit<GivenRun, 'params'>,
  command: Command,
  cli: Cli,
): Promise<number> {
  try {
    const answer = await client.svcAction(action, given.sealed ? { sealed: true } : {})
    if (!given.json) printLogs(answer.logs, cli)
    saveReceipt(answer.receipt, given, cli)
    cli.print(command, answer, () => [formatResponse(answer.response, cli)])
    return EXIT.ok
  } catch (error) {
    if (!(error instanceof ActionFailed)) throw error
    saveReceipt(error.receipt, given, cli)
    // With `--json`, the error is rethrown, and the caller prints it, including the stack and the logs.
    if (given.json) throw error
    printLogs(error.logs, cli)
    for (const line of error.actionStack.split('\n').slice(1)) if (line) cli.warn(printable(line))
    throw error
  }
}

/**
 * Runs the action again after each change of its source, until Ctrl-C. Reports a failed run and waits for the next
 * change.
 */
export async function watchAction(
  file: string,
  given: GivenRun,
  command: Command,
  cli: Cli,
): Promise<number> {
  if (file === '-') throw new UsageError('--watch needs a file, not standard input')
  if (given.json) throw new UsageError('--json cannot be combined with --watch')
  const params = (await paramsOf(cli, given)) ?? {}
  const client = await cli.client(command, { key: 'usage' })
  await watchSource(file, cli, async (code) => {
    await runAndPrint(client, { code, js_params: params }, given, command, cli).catch(
      (error: unknown) => reportFailure(error, cli),
    )
    cli.progress(command, `Waiting for changes to ${file}. Press Ctrl-C to stop.`)
  })
  return EXIT.interrupted
}

function printLogs(logs: string, cli: Cli): void {
  if (logs !== '') for (const line of logs.replace(/\n$/, '').split('\n')) cli.warn(printable(line))
}

/**
 * Formats an action's response. Text is sanitized only if standard output is a terminal. Other values are formatted as
 * JSON.
 */
function formatResponse(response: unknown, { terminal }: Cli): string {
  if (typeof response !== 'string') return jsonText(response, 2)
  return terminal.isTerminal ? response.split('\n').map(printable).join('\n') : response
}

function saveReceipt(receipt: string | undefined, { receipt: to }: GivenRun, cli: Cli): void {
  if (to === undefined || receipt === undefined) return
  try {
    writeFileSync(resolve(cli.terminal.folder, to), `${receipt}\n`)
  } catch (error) {
    cli.warn(`svc: cannot write the receipt: ${(error as Error).message}`)
  }
}
