import { watch, writeFileSync } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'
import type { Command } from 'commander'
import { ActionFailed } from '../../../client/failures/action-failed.ts'
import type { Cli } from '../../cli.ts'
import { failureLines, failureOf } from '../../failures.ts'
import { EXIT, jsonText, printable, UsageError } from '../../terminal.ts'
import { type GivenParams, paramsOf } from '../values.ts'

export type GivenRun = GivenParams & {
  watch?: boolean
  sealed?: boolean
  receipt?: string
  json?: boolean
}

/** Editors write a file in several steps. */
const SETTLED_MS = 50

/** @returns the exit code: 1 where the action failed */
export async function runAction(
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
    if (!given.json) tell(answer.logs, cli)
    keepReceipt(answer.receipt, given, cli)
    cli.say(command, answer, () => [shown(answer.response, cli)])
    return EXIT.ok
  } catch (error) {
    if (!(error instanceof ActionFailed)) throw error
    keepReceipt(error.receipt, given, cli)
    // The document of the failure has both.
    if (given.json) throw error
    tell(error.logs, cli)
    for (const line of error.actionStack.split('\n').slice(1)) if (line) cli.warn(printable(line))
    throw error
  }
}

/** Until Ctrl-C. A run that is refused or fails is told, and the next change is waited for. */
export async function watchAction(
  file: string,
  given: GivenRun,
  command: Command,
  cli: Cli,
): Promise<number> {
  if (file === '-') throw new UsageError('--watch takes a file')
  if (given.json) throw new UsageError('--json gives one document, and --watch does not end')
  const { signal, folder } = cli.terminal
  const params = (await paramsOf(cli, given)) ?? {}
  const path = resolve(folder, file)
  // A name that is mistyped would be waited for; one that is gone later is an editor's.
  await cli.text(file)
  let last: string | undefined
  let wake: () => void = () => undefined
  // The folder, and not the file: editors put another one in its place.
  const watcher = watch(dirname(path), (_, name) => {
    if (name === null || name === basename(path)) setTimeout(() => wake(), SETTLED_MS)
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
        cli.progress(command, `Waiting for a change of ${file}; Ctrl-C ends it.`)
      } else if (!signal.aborted) await changed
    }
    return EXIT.interrupted
  } finally {
    watcher.close()
  }
}

/** Its lines stay lines, and move no cursor. */
function tell(logs: string, cli: Cli): void {
  if (logs !== '') for (const line of logs.replace(/\n$/, '').split('\n')) cli.warn(printable(line))
}

/** Text as it is for programs, and what a terminal may be shown for people; JSON for all else. */
function shown(response: unknown, { terminal }: Cli): string {
  if (typeof response !== 'string') return jsonText(response, 2)
  return terminal.isTerminal ? response.split('\n').map(printable).join('\n') : response
}

function keepReceipt(receipt: string | undefined, { receipt: to }: GivenRun, cli: Cli): void {
  if (to === undefined || receipt === undefined) return
  try {
    writeFileSync(resolve(cli.terminal.folder, to), `${receipt}\n`)
  } catch (error) {
    cli.warn(`svc: the receipt was not written: ${(error as Error).message}`)
  }
}
