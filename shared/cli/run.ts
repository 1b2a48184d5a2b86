import { CommanderError } from 'commander'
import { createCli } from './cli.ts'
import { requireNoSecret } from './credentials/secret.ts'
import { failureLines, failureOf } from './failures.ts'
import { makeProgram } from './program.ts'
import { EXIT, jsonText, type Terminal } from './terminal.ts'

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
  const end = words.indexOf('--')
  return words.slice(0, end < 0 ? undefined : end).includes('--json')
}
