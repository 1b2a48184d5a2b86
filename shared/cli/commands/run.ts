/** `svc run action.js`: runs an action once, or again after each change of its source. */
import type { Command } from 'commander'
import type { Cli } from '../cli.ts'
import { examples } from './examples.ts'
import { each } from './values.ts'
import type { GivenRun } from './run/run-action.ts'

export function registerRun(program: Command, cli: Cli): void {
  const command = cli
    .withUsageKey(
      cli.atDeployment(
        program
          .command('run')
          .description(
            'Run an action: its response to standard output, its logs to standard error.',
          ),
      ),
    )
    .argument('<action>', 'the source')
    .option('--params <key=value>', 'of what main is given; JSON or text; may be repeated', each)
    .option('--params-file <file>', 'JSON of what main is given; - for standard input')
    .option('--watch', 'run again at each change of the source')
    .option('--sealed', 'for the verified machine alone, and check the receipt')
    .option('--receipt <file>', 'write the receipt')
    .action(async (file: string, given: GivenRun) => {
      const { runAction, watchAction } = await import('./run/run-action.ts')
      cli.exit(await (given.watch ? watchAction : runAction)(file, given, command, cli))
    })
  examples(command, [
    'svc run action.js --params message=hello --receipt receipt.txt',
    'echo \'{"message":"hello"}\' | svc run action.js --params-file - --json',
  ])
}
