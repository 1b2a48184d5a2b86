import { watch, writeFileSync } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'
import type { Command } from 'commander'
import { ActionFailed } from '../../../client/failures/action-failed.ts'
import type { Cli } from '../../cli.ts'
import { failureLines, failureOf } from '../../failures.ts'
import { EXIT, jsonText, printable, UsageError } from '../../terminal.ts'
import { type GivenParams, paramsOf } from '../option-values.ts'

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
  const code = await cli.text(file)
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
  const path = resolve(folder, file)
  // Fails if the source file does not exist. If the file disappears later, an editor is probably replacing it.
  await cli.text(file)
  let last: string | undefined
  let wake: () => void = () => undefined
  // Watches the folder instead of the file, because many editors replace a file instead of writing to it.
  const watcher = watch(dirname(path), (_, name) => {
    if (name === null || name === basename(path)) setTimeout(() => wake(), DEBOUNCE_MS)
  })
  signal.addEventListener('abort', () => wake())
  try {
    while (!signal.aborted) {
      const changed = new Promise<void>((resume) => (wake = resume))
      const code = await cli.text(file).catch(() => last)
      if (code !== undefined && code !== last) {
        last = code
        await execute(code, params, given, command, cli).catch((error: unknown) => {
          const failure = signal.aborted ? undefined : failureOf(error)
          if (!failure) throw error
          for (const line of failureLines(failure)) cli.warn(line)
        })
        cli.progress(command, `Waiting for changes to ${file}. Press Ctrl-C to stop.`)
      } else if (!signal.aborted) await changed
    }
    return EXIT.interrupted
  } finally {
    watcher.close()
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
