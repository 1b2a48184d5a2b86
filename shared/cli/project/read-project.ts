/** Reads a project: `svc.json`, the policies that it names, and the actions, which are built. */
import { dirname, resolve } from 'node:path'
import { cidHash } from '../../cid/cid-format.ts'
import { TRIGGER_SOURCE_MAX_BYTES } from '../../limits.ts'
import type { Policy } from '../../policies/policy.ts'
import type { Cli } from '../cli.ts'
import { parsedPolicy, readJson } from '../policy/read-policy.ts'
import { UsageError } from '../terminal.ts'
import { type DeploymentUrls, parseProjectFile } from './parse-project.ts'
import type { ProjectFile, TriggerDeclaration } from './project-schema.ts'
import { type ProjectSecret, readWebhookSecrets } from './webhook-secrets.ts'

export type ProjectAction = { name: string; file: string; code: string; cid: string; hash: string }
export type ProjectWallet = {
  address?: string
  policy?: { file: string; policy: Policy }
}
export type ProjectGroup = ProjectFile['groups'][string]
export type ProjectKey = ProjectFile['keys'][string]
export type ProjectTrigger = Omit<TriggerDeclaration, 'webhook_secret'>

/** A project as it is to be deployed. All names are those of the file. */
export type Project = {
  /** Name of the project, with the name of the environment after `@`. */
  title: string
  urls: DeploymentUrls
  actions: ReadonlyMap<string, ProjectAction>
  wallets: ReadonlyMap<string, ProjectWallet>
  groups: ReadonlyMap<string, ProjectGroup>
  keys: ReadonlyMap<string, ProjectKey>
  triggers: ReadonlyMap<string, ProjectTrigger>
  /** Secrets of webhook sources, by the name of the trigger. */
  webhookSecrets: ReadonlyMap<string, ProjectSecret>
}

/**
 * @param file path of `svc.json`. The files that it names are relative to its folder
 * @throws {UsageError} with the path of each problem
 * @throws {ActionBuildError} if an action cannot be built
 */
export async function readProject(
  cli: Cli,
  file: string,
  environment: string | undefined,
): Promise<Project> {
  const { project, urls } = parseProjectFile(await readJson(cli, file), file, environment)
  const folder = dirname(resolve(cli.terminal.folder, file))
  const actions = await eachOf(project.actions, (named, name) =>
    readAction(cli, folder, name, named),
  )
  requireTriggerSizes(project, actions, file)
  return {
    title: environment === undefined ? project.name : `${project.name}@${environment}`,
    urls,
    actions,
    wallets: await eachOf(project.wallets, async ({ address, policy: named }) => ({
      ...(address !== undefined && { address: address.toLowerCase() }),
      ...(named !== undefined && {
        policy: {
          file: named,
          policy: parsedPolicy(await cli.text(resolve(folder, named)), named),
        },
      }),
    })),
    groups: new Map(Object.entries(project.groups)),
    keys: new Map(Object.entries(project.keys)),
    triggers: new Map(
      Object.entries(project.triggers).map(([name, { webhook_secret: _place, ...trigger }]) => [
        name,
        trigger,
      ]),
    ),
    webhookSecrets: await readWebhookSecrets(cli, project, folder),
  }
}

async function readAction(
  cli: Cli,
  folder: string,
  name: string,
  file: string,
): Promise<ProjectAction> {
  const { actionCid } = await import('../../cid/compute-cid.ts')
  const code = await cli.actionSource(resolve(folder, file))
  const cid = await actionCid(code)
  return { name, file, code, cid, hash: cidHash(cid) }
}

/** Checked here, so that nothing is deployed before the service rejects the trigger. */
function requireTriggerSizes(
  { triggers }: ProjectFile,
  actions: Project['actions'],
  file: string,
): void {
  for (const [name, trigger] of Object.entries(triggers)) {
    const { code, file: source } = actions.get(trigger.action)!
    const bytes = Buffer.byteLength(code)
    if (bytes > TRIGGER_SOURCE_MAX_BYTES)
      throw new UsageError(
        `${file}: triggers.${name}.action: ${source} has ${bytes} bytes; the action of a trigger can have at most ${TRIGGER_SOURCE_MAX_BYTES}`,
      )
  }
}

/** @returns the CID that an entry of a group names, which is an action of the file, or the CID of another one */
export function cidOf(project: Pick<Project, 'actions'>, named: string): string {
  return project.actions.get(named)?.cid ?? named
}

/** Awaits one after another: the first error is then that of the first entry. */
async function eachOf<From, To>(
  record: Readonly<Record<string, From>>,
  read: (value: From, name: string) => Promise<To>,
): Promise<Map<string, To>> {
  const found = new Map<string, To>()
  for (const [name, value] of Object.entries(record)) found.set(name, await read(value, name))
  return found
}
