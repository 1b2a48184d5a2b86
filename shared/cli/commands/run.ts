import type { Command } from 'commander'
import type { Cli } from '../cli.ts'
import { addExamples } from './examples.ts'
import { collectOption } from './option-values.ts'
import type { GivenRun } from './run/run-action.ts'

export function registerRun(program: Command, cli: Cli): void {
  const command = cli
    .withUsageKey(
      cli.command(
        program,
        'run',
        'Run an action. Its response goes to standard output, its logs to standard error.',
      ),
    )
    .argument('<action>', 'source file; - for standard input')
    .option(
      '--params <key=value>',
      'parameter for main; the value is JSON or text; can be repeated',
      collectOption,
    )
    .option('--params-file <file>', 'JSON file with the parameters for main; - for standard input')
    .option('--watch', 'run again whenever the source changes')
    .option('--sealed', 'encrypt the call to the verified machine, and verify the receipt')
    .option('--receipt <file>', 'write the receipt to this file')
    .action(async (file: string, given: GivenRun) => {
      const { runActionCommand, watchAction } = await import('./run/run-action.ts')
      cli.exit(await (given.watch ? watchAction : runActionCommand)(file, given, command, cli))
    })
  addExamples(command, [
    'svc run action.js --params message=hello --receipt receipt.txt',
    'echo \'{"message":"hello"}\' | svc run action.js --params-file - --json',
  ])
}
