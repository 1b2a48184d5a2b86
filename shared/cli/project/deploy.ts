/** `svc deploy`: reads the project and the account, prints what would change, and changes it. */
import { isDeepStrictEqual } from 'node:util'
import type { Command } from 'commander'
import type { ApiClient } from '../../client/api/client.ts'
import { Forbidden } from '../../client/failures/by-status.ts'
import type { Cli } from '../cli.ts'
import type { ResolvedDeployment } from '../deployment.ts'
import { NoCredentialError, type Terminal, UsageError } from '../terminal.ts'
import { applyChange, type Deployed } from './apply.ts'
import type { Plan } from './change.ts'
import { type DeployedState, type Names, namesOf, readAccount } from './deployed-state.ts'
import { createKeyStore, readKeyState } from './key-store.ts'
import { planDeployment } from './plan.ts'
import { deployedGroup } from './plan-groups.ts'
import { deployedKey } from './plan-keys.ts'
import { planJson, planLines } from './plan-lines.ts'
import { deployedWallet } from './plan-wallets.ts'
import { type Project, readProject } from './read-project.ts'

export type DeployOptions = {
  file: string
  env?: string
  prune?: boolean
  planOnly?: true
  yes?: true
  json?: true
}

export async function deployProject(
  cli: Cli,
  command: Command,
  { file, env, prune = false, planOnly, yes, json }: DeployOptions,
): Promise<void> {
  if (json && !yes && !planOnly)
    throw new UsageError('--json needs --yes or --plan-only, because it prints the plan at the end')
  const project = await readProject(cli, file, env)
  useEnvironment(command, project, cli)
  const needsTriggers = project.triggers.size > 0 || prune
  const deployment = await cli.deployment(command)
  const client = await cli.client(command, { key: 'account', token: needsTriggers })
  await requireOwnAccount(client)
  const names = namesOf(project.title)
  const read = async (): Promise<DeployedState> => ({
    ...(await readAccount(client, names, needsTriggers)),
    ...(await readKeyState(cli, deployment)),
  })
  const state = await read()
  const plan = planDeployment(project, state, { prune })
  const title = `${project.title} on ${deployment.baseUrl}${needsTriggers ? ` and ${deployment.triggersUrl}` : ''}`
  if (!json) cli.terminal.write(`${[title, ...planLines(plan, cli.terminal)].join('\n')}\n`)
  const isWanted =
    !planOnly &&
    (plan.changes.length === 0 || yes === true || (await cli.confirm('Make these changes?')))
  // The plan was on the screen for a while, and its changes contain whole lists, such as the groups of a key.
  if (
    isWanted &&
    !yes &&
    !isDeepStrictEqual(planDeployment(project, await read(), { prune }), plan)
  )
    throw new UsageError(
      'the account has changed since this plan was made: run svc deploy again to see the current one',
    )
  const deployed = deployedObjects(project, state, names)
  const messages: string[] = []
  if (isWanted) await apply(cli, plan, { client, deployment, names, deployed, messages, project })
  cli.print(command, resultJson(project, plan, deployed, messages, isWanted), () =>
    isWanted && plan.changes.length > 0
      ? [...messages, ...objectLines(deployed, plan), `Deployed ${project.title}.`]
      : [],
  )
}

/** The URLs of an environment replace those of the options, so that both cannot be given. */
function useEnvironment(
  command: Command,
  { urls, title }: Project,
  { terminal: { environment } }: Cli,
): void {
  const given = command.opts<{ baseUrl?: string; triggersUrl?: string }>()
  for (const [option, variable, url, other, secrets] of [
    ['baseUrl', 'SVC_BASE_URL', urls.base_url, given.baseUrl, ['SVC_API_KEY']],
    [
      'triggersUrl',
      'SVC_TRIGGERS_URL',
      urls.triggers_url,
      given.triggersUrl,
      ['SVC_TOKEN', 'SVC_USAGE_KEY'],
    ],
  ] as const) {
    if (url === undefined) continue
    if (other !== undefined)
      throw new UsageError(
        `${title} has its own URL in the file: omit --base-url and --triggers-url`,
      )
    requireConfirmedUrl(url, variable, secrets, environment)
    command.setOptionValue(option, url)
  }
}

/**
 * Requires that the user confirms the URL in the file before a secret of the environment is sent there: the file is part of
 * a repository, and stored secrets belong to a URL, but variables do not.
 * @throws {UsageError}
 */
function requireConfirmedUrl(
  url: string,
  variable: string,
  secrets: readonly string[],
  environment: Terminal['environment'],
): void {
  const originOf = (text = '') => (URL.canParse(text) ? new URL(text).origin : undefined)
  const origin = originOf(url)
  if (originOf(environment[variable]) === origin) return
  const secret = secrets.flatMap((name) => [name, `${name}_FILE`]).find((name) => environment[name])
  if (secret !== undefined)
    throw new UsageError(
      `the file names ${origin}, and ${secret} may belong to another deployment: set ${variable} to ${origin} to send the secret there, or unset ${secret} to use a stored one`,
    )
}

/** @throws {NoCredentialError} if the key is not the account key of an account in API mode */
async function requireOwnAccount(client: ApiClient): Promise<void> {
  const { managed } = await client.getAccount().catch((error: unknown) => {
    throw error instanceof Forbidden ? refusal(error.message) : error
  })
  if (!managed) throw refusal('The account is in ChainSecured mode.')
}

const refusal = (reason: string) =>
  new NoCredentialError(
    `svc deploy changes an account with its account key: ${reason}`,
    'Use the account key of an account in API mode. A ChainSecured account is changed by its admin wallet: use the console, or the client library in mode sovereign.',
  )

function deployedObjects(project: Project, state: DeployedState, names: Names): Deployed {
  const of = { project, state, names }
  const found = <Item, Value>(
    items: ReadonlyMap<string, unknown>,
    find: (name: string) => Item | undefined,
    valueOf: (item: Item) => Value,
  ) =>
    new Map(
      [...items.keys()].flatMap((name) => {
        const item = find(name)
        return item === undefined ? [] : [[name, valueOf(item)] as const]
      }),
    )
  return {
    wallets: found(
      project.wallets,
      (name) => deployedWallet(of, name),
      ({ wallet_address: address, pkp_id: pkpId }) => ({ address, pkpId }),
    ),
    groups: found(
      project.groups,
      (name) => deployedGroup(of, name),
      ({ group_id }) => group_id,
    ),
    keys: found(
      project.keys,
      (name) => deployedKey(of, name),
      ({ api_key_hash }) => api_key_hash,
    ),
    triggers: found(
      project.triggers,
      (name) => state.triggers.find((trigger) => trigger.name === names.full(name)),
      ({ id, webhook_url: url }) => ({ id, url }),
    ),
  }
}

type Target = {
  client: ApiClient
  deployment: ResolvedDeployment
  names: Names
  deployed: Deployed
  messages: string[]
  project: Project
}

async function apply(
  cli: Cli,
  { changes }: Plan,
  { client, deployment, names, deployed, messages, project: { webhookSecrets } }: Target,
): Promise<void> {
  const applying = {
    client,
    names,
    deployed,
    keys: createKeyStore(cli, deployment),
    webhookSecrets,
    onMessage: (message: string) => void messages.push(message),
  }
  for (const [done, change] of changes.entries())
    await applyChange(change, applying).catch((error: unknown) => {
      cli.warn(
        `${done} of ${changes.length} requests were made. Run svc deploy again: it continues with the rest.`,
      )
      throw error
    })
}

function resultJson(
  { title }: Project,
  plan: Plan,
  { wallets, groups, keys, triggers }: Deployed,
  messages: readonly string[],
  isApplied: boolean,
): object {
  return {
    project: title,
    ...planJson(plan),
    applied: isApplied,
    messages,
    wallets: Object.fromEntries([...wallets].map(([name, { address }]) => [name, address])),
    groups: Object.fromEntries(groups),
    keys: Object.fromEntries(keys),
    triggers: Object.fromEntries(triggers),
  }
}

/** Addresses and URLs that the plan could not contain. */
function objectLines({ wallets, triggers }: Deployed, { changes }: Plan): string[] {
  return changes.flatMap(({ operation }) => {
    if (operation.do === 'create_wallet')
      return [`wallet ${operation.name}: ${wallets.get(operation.name)!.address}`]
    if (operation.do !== 'create_trigger') return []
    const { id, url } = triggers.get(operation.name)!
    return [`trigger ${operation.name}: ${url ?? id}`]
  })
}
