import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Command } from 'commander'
import { ActionBuildError } from '../../../build/action-build-error.ts'
import { ActionFailed } from '../../../client/failures/action-failed.ts'
import { readAction } from '../../action-source.ts'
import type { Cli } from '../../cli.ts'
import { failureLines, failureOf } from '../../failures.ts'
import { EXIT, jsonText, printable, UsageError } from '../../terminal.ts'
import { type GivenParams, paramsOf } from '../option-values.ts'
import { WatchedFiles } from './watched-files.ts'

export type GivenRun = GivenParams & {
  watch?: boolean
  sealed?: boolean
  receipt?: string
  json?: boolean
}

/** Debounce time for file changes, because editors write a file in several steps. */
const DEBOUNCE_MS = 50

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
  return execute(code, (await paramsOf(cli, given)) ?? {}, given, command, cli)
}

async function execute(
  code: string,
  js_params: object,
  given: GivenRun,
  command: Command,
  cli: Cli,
): Promise<number> {
  const client = await cli.client(command, { key: 'usage' })
  try {
    const answer = await client.svcAction({ code, js_params }, given.sealed ? { sealed: true } : {})
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
  const { signal, folder } = cli.terminal
  const params = (await paramsOf(cli, given)) ?? {}
  // Fails if the source cannot be read or built. Later, the file may disappear while an editor replaces it.
  await cli.actionSource(file)
  let last: string | undefined
  let wake: () => void = () => undefined
  const watched = new WatchedFiles(() => setTimeout(() => wake(), DEBOUNCE_MS))
  watched.add([resolve(folder, file)])
  signal.addEventListener('abort', () => wake())
  const report = (error: unknown) => {
    const failure = signal.aborted ? undefined : failureOf(error)
    if (!failure) throw error
    for (const line of failureLines(failure)) cli.warn(line)
  }
  const read = async () => {
    const { code, inputs } = await readAction(file, cli.terminal)
    watched.add(inputs)
    return code
  }
  try {
    while (!signal.aborted) {
      const changed = new Promise<void>((resume) => (wake = resume))
      const code = await read().catch((error: unknown) => {
        if (error instanceof ActionBuildError) report(error)
        return last
      })
      if (code !== undefined && code !== last) {
        last = code
        await execute(code, params, given, command, cli).catch(report)
        cli.progress(command, `Waiting for changes to ${file}. Press Ctrl-C to stop.`)
      } else if (!signal.aborted) await changed
    }
    return EXIT.interrupted
  } finally {
    watched.close()
  }
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
