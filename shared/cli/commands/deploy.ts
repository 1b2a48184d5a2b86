import type { Command } from 'commander'
import type { Cli } from '../cli.ts'
import type { DeployOptions } from '../project/deploy.ts'
import { addExamples } from './examples.ts'

export function registerDeploy(program: Command, cli: Cli): void {
  const command = cli
    .command(
      program,
      'deploy',
      'Create or change the wallets, groups, keys and triggers of a project, after printing a plan.',
    )
    .option('--file <file>', 'file of the project', 'svc.json')
    .option('--env <name>', 'environment of the file, such as staging')
    .option('--plan-only', 'print the plan, and change nothing')
    .option('--prune', 'also remove objects of the project that are not in the file')
    .option('--yes', 'do not ask for confirmation')
    .action(async (options: DeployOptions) => {
      const { deployProject } = await import('../project/deploy.ts')
      await deployProject(cli, command, options)
    })
  addExamples(command, [
    'svc deploy --plan-only',
    'svc deploy --yes',
    'svc deploy --env staging --yes --json',
  ])
}
