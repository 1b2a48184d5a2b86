import type { Command } from 'commander'
import type { Cli } from '../cli.ts'
import { addExamples } from './examples.ts'
import type { GivenBuild } from './build/build-command.ts'

export function registerBuild(program: Command, cli: Cli): void {
  const command = program
    .command('build')
    .description(
      'Build an action from TypeScript and npm packages into one script. Nothing is sent.',
    )
    .argument('<entry>', 'module that exports main')
    .option('--out <file>', 'output file; by default dist/<name>.js in the project')
    .option('--minify', 'minify the script, which makes it unreadable')
    .option('--json', 'print JSON: file, cid, cid_hash, bytes, packages, warnings')
    .action(async (entry: string, given: GivenBuild) => {
      const { buildCommand } = await import('./build/build-command.ts')
      await buildCommand(entry, given, command, cli)
    })
  addExamples(command, [
    'svc build action.ts',
    'svc build action.ts --out built.js --minify --json',
  ])
}
