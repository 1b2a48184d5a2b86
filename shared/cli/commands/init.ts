import { type Command, Option } from 'commander'
import type { Cli } from '../cli.ts'
import type { InitOptions } from '../project/init.ts'
import { EXAMPLES } from '../project/examples.ts'
import { addExamples } from './examples.ts'
import { columns } from './columns.ts'

export function registerInit(program: Command, cli: Cli): void {
  const command = program
    .command('init')
    .description('Create a project: actions in TypeScript, their tests, and svc.json.')
    .argument('<folder>', 'new or empty folder, whose name becomes the name of the project')
    .addOption(
      new Option('--template <name>', 'the example to start from')
        .choices(Object.keys(EXAMPLES))
        .makeOptionMandatory(),
    )
    .option(
      '--cli <file or version>',
      'packed archive or version of @svc-run/cli to install; default: this version',
    )
    .option('--no-install', 'do not run npm install')
    .option('--json', 'print JSON')
    .action(async (folder: string, options: InitOptions) => {
      const { initProject } = await import('../project/init.ts')
      await initProject(cli, command, folder, options)
    })
  const lines = columns(Object.entries(EXAMPLES).map((row) => [...row]))
  command.addHelpText('after', ['\nTemplates:', ...lines.map((line) => `  ${line}`)].join('\n'))
  addExamples(command, [
    'svc init payouts --template treasury-payout --no-install',
    'svc init feed --template price-feed --no-install --json',
  ])
}
