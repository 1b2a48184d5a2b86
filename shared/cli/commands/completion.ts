import { Argument, type Command } from 'commander'
import type { Cli } from '../cli.ts'
import { type Shell, SHELLS } from '../completion/scripts.ts'
import { addExamples } from './examples.ts'

export function registerCompletion(program: Command, { terminal }: Cli): void {
  const command = program
    .command('completion')
    .description('Print a script that completes commands and options in your shell.')
    .addArgument(new Argument('<shell>').choices(SHELLS))
    .action(async (shell: Shell) => {
      const [{ completionScript }, { commandNodes }] = await Promise.all([
        import('../completion/scripts.ts'),
        import('../completion/command-nodes.ts'),
      ])
      terminal.write(completionScript(shell, commandNodes(program)))
    })
  addExamples(command, ['eval "$(svc completion bash)"'])
}
