import { dirname, resolve } from 'node:path'
import { Command } from 'commander'
import { isBuilt } from '../action-source.ts'
import type { Cli } from '../cli.ts'
import { onEachChange, reportFailure } from '../commands/run/watch-source.ts'
import type { LocalTarget } from '../listen/local-target.ts'
import { readJson } from '../policy/read-policy.ts'
import { deployProject } from '../project/deploy.ts'
import { parseProjectFile } from '../project/parse-project.ts'

/**
 * Deploys a project to the local stack, without its environments, now and after each change of a file that it names, until
 * the signal aborts.
 * @param onDeployed called after each deployment
 */
export async function watchProject(
  file: string,
  target: LocalTarget,
  onDeployed: () => void,
  cli: Cli,
): Promise<void> {
  await onEachChange([resolve(cli.terminal.folder, file)], cli.terminal, async (watched) => {
    try {
      watched.add(await inputsOf(file, cli))
      await deployToStack(file, target)
      onDeployed()
    } catch (error) {
      reportFailure(error, cli)
    }
  })
}

/** Names both URLs, so that a deployment can never go to another host after the stack has stopped. */
export async function deployToStack(file: string, { cli, stack }: LocalTarget): Promise<void> {
  const command = new Command()
  command.setOptionValue('baseUrl', stack.baseUrl)
  command.setOptionValue('triggersUrl', stack.triggersUrl)
  await deployProject(cli, command, { file, yes: true })
}

/** Returns the absolute paths of the files that the project is read from. */
async function inputsOf(file: string, cli: Cli): Promise<string[]> {
  const { project } = parseProjectFile(await readJson(cli, file), file, undefined)
  const folder = dirname(resolve(cli.terminal.folder, file))
  const policies = Object.values(project.wallets).flatMap(({ policy }) => policy ?? [])
  const files = [...policies, ...Object.values(project.actions)].map((path) =>
    resolve(folder, path),
  )
  const built = await Promise.all(
    files.filter(isBuilt).map(async (path) => {
      const { buildAction } = await import('../../build/build-action.ts')
      // A deployment reports the failure of a build.
      return buildAction(path).then(
        ({ inputs }) => inputs,
        () => [],
      )
    }),
  )
  return [...files, ...built.flat()]
}
