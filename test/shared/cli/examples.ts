/** Extracts the section "Examples:" from the help of every command, in order. */
import { createCli } from '../../../shared/cli/cli.ts'
import { commandNodes } from '../../../shared/cli/completion/scripts.ts'
import { makeProgram } from '../../../shared/cli/program.ts'
import type { Terminal } from '../../../shared/cli/terminal.ts'
import { svc } from './command-line.ts'

export type Example = { path: string; line: string }

/** @param withEmpty includes commands without examples, with an empty line */
export async function examplesOf({ withEmpty = false } = {}): Promise<Example[]> {
  // Used only for its command tree; nothing runs.
  const terminal = { environment: {} } as Terminal
  const program = makeProgram(
    createCli(terminal, () => undefined),
    false,
  )
  const examples: Example[] = []
  for (const { path, commands } of commandNodes(program)) {
    const isGroup = commands.some(({ word }) => word !== 'help')
    const { out } = await svc([...path.split(' ').slice(1), '--help'])
    const lines = [...(out.split('\nExamples:\n')[1] ?? '').matchAll(/^ {2}\$ (.*)$/gm)]
    // A command such as `svc verify` has subcommands, and runs itself.
    if (withEmpty && lines.length === 0 && !isGroup) examples.push({ path, line: '' })
    examples.push(...lines.map(([, line]) => ({ path, line: line! })))
  }
  return examples
}
