import { Argument, type Command } from 'commander'
import type { Cli } from '../cli.ts'
import { commandNodes, completionScript, type Shell, SHELLS } from '../completion/scripts.ts'
import { addExamples } from './examples.ts'

export function registerCompletion(program: Command, { terminal }: Cli): void {
  const command = program
    .command('completion')
    .description('Print a script that completes commands and options in your shell.')
    .addArgument(new Argument('<shell>').choices(SHELLS))
    .action((shell: Shell) => terminal.write(completionScript(shell, commandNodes(program))))
  addExamples(command, ['eval "$(svc completion bash)"'])
}
