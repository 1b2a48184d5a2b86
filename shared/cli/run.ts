import { CommanderError } from 'commander'
import { createCli } from './cli.ts'
import { requireNoSecret } from './credentials/secret.ts'
import { failureLines, failureOf } from './failures.ts'
import { parseTriggerId, triggerIdOfRun } from '../ids.ts'
import { makeProgram } from './program.ts'
import { EXIT, jsonText, type Terminal, UsageError } from './terminal.ts'

/** @returns the exit code */
export async function run(words: readonly string[], terminal: Terminal): Promise<number> {
  let code: number = EXIT.ok
  const asJson = isJson(words)
  const program = makeProgram(
    createCli(terminal, (exit) => (code = exit)),
    asJson,
  )
  try {
    requireNoSecret(words)
    requireNoHyphenatedId(words)
    await program.parseAsync([...words], { from: 'user' })
    return code
  } catch (error) {
    if (terminal.signal.aborted) return EXIT.interrupted
    if (error instanceof CommanderError && (error.exitCode === 0 || !asJson))
      return error.exitCode === 0 ? EXIT.ok : EXIT.usage
    const failure = failureOf(error)
    if (!failure) throw error
    const lines = asJson ? [jsonText(failure.output)] : failureLines(failure)
    terminal.writeError(`${lines.join('\n')}\n`)
    return failure.code
  }
}

/** Works even if the command line cannot be parsed. */
function isJson(words: readonly string[]): boolean {
  return beforeOperands(words).includes('--json')
}

/**
 * Commander parses an ID that starts with a hyphen as a group of options: `-V…` would print the version.
 * @throws {UsageError}
 */
function requireNoHyphenatedId(words: readonly string[]): void {
  const id = beforeOperands(words).find((word) => word.startsWith('-') && isId(word))
  if (id === undefined) return
  throw new UsageError(
    `${id} starts with a hyphen and would be parsed as an option. Write it after all options and --, as in: svc trigger show --json -- ${id}`,
  )
}

const isId = (word: string) =>
  parseTriggerId(word) !== undefined || triggerIdOfRun(word) !== undefined

function beforeOperands(words: readonly string[]): readonly string[] {
  const end = words.indexOf('--')
  return words.slice(0, end < 0 ? undefined : end)
}
