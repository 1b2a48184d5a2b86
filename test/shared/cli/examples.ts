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
  const commands = commandNodes(program).filter(({ commands: below }) =>
    below.every(({ word }) => word === 'help'),
  )
  const examples: Example[] = []
  for (const { path } of commands) {
    const { out } = await svc([...path.split(' ').slice(1), '--help'])
    const lines = [...(out.split('\nExamples:\n')[1] ?? '').matchAll(/^ {2}\$ (.*)$/gm)]
    if (withEmpty && lines.length === 0) examples.push({ path, line: '' })
    examples.push(...lines.map(([, line]) => ({ path, line: line! })))
  }
  return examples
}
