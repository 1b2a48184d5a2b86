import type { Command } from 'commander'
import type { Cli } from '../cli.ts'
import type { GivenDev } from '../dev/dev.ts'
import { addExamples } from './examples.ts'
import { collectOption } from './option-values.ts'

export function registerDev(program: Command, cli: Cli): void {
  const command = program
    .command('dev')
    .description(
      'Run an action, or deploy a project, on the local stack, now and after each change, until Ctrl-C. Starts the stack if none is running.',
    )
    .argument('[action]', 'source file, or svc.json of a project', 'svc.json')
    .option(
      '--params <key=value>',
      'parameter for main; the value is JSON or text; can be repeated',
      collectOption,
    )
    .option('--params-file <file>', 'JSON file with the parameters for main; - for standard input')
    .option(
      '--trigger <trigger>',
      'instead of running the action, update this trigger of the local stack',
    )
    .option('--listen <trigger>', 'replay the events of this deployed trigger, as svc listen does')
    .option('--last <n>', 'with --listen: start with the last n runs')
    .option('--once', 'exit after the first run or deployment; exit code 1 if it failed')
    .option('--state-dir <folder>', 'state folder of the stack (SVC_STATE_DIR; default: .svc)')
    .option('--triggers-url <url>', 'with --listen: URL of the trigger service of the deployment')
    .option('--ca <file>', 'with --listen: PEM file of a certificate authority to trust for it')
    .action(async (file: string, given: GivenDev) => {
      const { dev } = await import('../dev/dev.ts')
      cli.exit(await dev(file, given, command, cli))
    })
  addExamples(command, ['svc dev action.js --params message=hello --once', 'svc dev --once'])
}
