import { type Command, InvalidArgumentError } from 'commander'
import type { UsageKey, UsageKeyFields } from '../../client/core/account.ts'
import { hasApiKeyFormat } from '../../wire/api-key.ts'
import { apiKeyHash } from '../../crypto/keccak.ts'
import type { Cli } from '../cli.ts'
import { storedOriginEntry } from '../credentials/credentials.ts'
import { UsageError } from '../terminal.ts'
import { addExamples } from './examples.ts'
import { columns, facts } from './columns.ts'
import { withoutUndefined } from '../../json/without-undefined.ts'
import { groupIds } from './option-values.ts'
import { LIMIT_FIELDS, type LimitField } from '../../wire/limit-fields.ts'

export function registerKey(program: Command, cli: Cli): void {
  const key = program
    .command('key')
    .description('Manage usage keys, which have limited permissions.')
  for (const register of [registerCreate, registerList, registerUpdate, registerDelete])
    register(key, cli)
}

function registerCreate(key: Command, cli: Cli): void {
  const command = withRights(cli.command(key, 'create', 'Create and store a usage key.'))
    .option('--name <text>', 'name of the key, for --key-name', 'svc')
    .option('--description <text>', 'description of the key', '')
    .option('--show', 'also print the key; by default it is only stored in the credentials file')
    .action(async (given: GivenRights & { name: string; description: string; show?: boolean }) => {
      const { name, description } = given
      const { baseUrl } = await cli.deployment(command)
      const client = await cli.client(command, { key: 'account' })
      const made = await client.addUsageApiKey({ name, description, ...rightsIn(given) })
      const { usage_api_key } = made
      const hash = apiKeyHash(usage_api_key)
      await cli.credentials.change((kept) => {
        const origin = storedOriginEntry(kept, baseUrl)
        origin.usage_keys = [...(origin.usage_keys ?? []), { name, hash, key: usage_api_key }]
      })
      const kept_in = cli.credentials.file
      cli.print(
        command,
        { api_key_hash: hash, name, kept_in, ...(given.show && { usage_api_key }) },
        () =>
          facts({
            'key hash': hash,
            name,
            'stored in': kept_in,
            ...(given.show && { key: usage_api_key }),
          }),
      )
    })
  addExamples(command, [
    'svc key create --name runner --execute-in 1 --cap-cents 500 --cap-window 86400',
    'svc key create --name spare --create-wallets',
  ])
}

function registerList(key: Command, cli: Cli): void {
  const command = cli
    .command(key, 'list', 'List the account’s usage keys; * marks keys stored on this machine.')
    .action(async () => {
      const { baseUrl } = await cli.deployment(command)
      const client = await cli.client(command, { key: 'account' })
      const keys = await client.listApiKeys().all()
      const kept = ((await cli.credentials.origin(baseUrl)).usage_keys ?? []).map(
        ({ hash }) => hash,
      )
      cli.print(command, keys, () =>
        columns(
          keys.map((one) => [
            kept.includes(one.api_key_hash) ? '*' : ' ',
            one.name,
            capOf(one),
            limitsOf(one),
            `groups ${one.execute_in_groups.join(',') || '-'}`,
            one.api_key_hash,
          ]),
        ),
      )
    })
  addExamples(command, ['svc key list', 'svc key list --json'])
}

function capOf({
  spend_cap_cents: cap,
  spend_window_seconds: window,
  spent_cents: spent,
}: UsageKey) {
  return cap === null ? 'no cap' : `${spent ?? 0} of ${cap} c in ${window} s`
}

/** Empty if the key has no limits. */
function limitsOf(key: UsageKey): string {
  return LIMIT_FIELDS.flatMap((name) => {
    const limit = key[name]
    return limit == null ? [] : [`${name.replaceAll('_', '-')} ${String(limit)}`]
  }).join('; ')
}

function registerUpdate(key: Command, cli: Cli): void {
  const command = withRights(
    cli.command(key, 'update', 'Change a usage key. Options that are not given stay unchanged.'),
  )
    .argument('<key>', 'hash of the key, or name of a stored key')
    .option('--name <text>', 'name of the key')
    .option('--description <text>', 'description of the key')
    .option('--no-cap', 'remove the spending cap')
    .option(
      '--remove-limits <names>',
      'remove these limits, such as expires-at,max-concurrent',
      limitNames,
    )
    .action(
      async (
        named: string,
        given: GivenRights &
          Pick<UsageKeyFields, 'name' | 'description'> & {
            cap: boolean
            removeLimits?: LimitField[]
          },
      ) => {
        const hash = await resolveKeyHash(named, command, cli)
        const client = await cli.client(command, { key: 'account' })
        const { name, description } = given
        const done = await client.updateUsageApiKey({
          usage_api_key: hash,
          ...(name !== undefined && { name }),
          ...(description !== undefined && { description }),
          ...rightsIn(given),
          ...(!given.cap && { remove_spend_cap: true }),
          ...(given.removeLimits && { remove_limits: given.removeLimits }),
        })
        cli.print(command, done, () => [])
      },
    )
  addExamples(command, [
    'svc key update runner --cap-cents 1000 --cap-window 86400',
    'svc key update runner --max-concurrent 4 --expires-at 2030-01-01T00:00:00Z',
    'svc key update runner --remove-limits expires-at,max-concurrent',
  ])
}

function registerDelete(key: Command, cli: Cli): void {
  const command = cli
    .command(key, 'delete', 'Delete a usage key, so that it can no longer be used.')
    .argument('<key>', 'hash of the key, or name of a stored key')
    .option('--yes', 'do not ask for confirmation')
    .action(async (named: string, { yes }: { yes?: boolean }) => {
      const { baseUrl } = await cli.deployment(command)
      const hash = await resolveKeyHash(named, command, cli)
      if (!yes && !(await cli.confirm(`Delete usage key ${hash}?`))) return
      const client = await cli.client(command, { key: 'account' })
      const done = await client.removeUsageApiKey({ usage_api_key: hash })
      await cli.credentials.change((kept) => {
        const origin = storedOriginEntry(kept, baseUrl)
        origin.usage_keys = (origin.usage_keys ?? []).filter((one) => one.hash !== hash)
      })
      cli.print(command, done, () => [])
    })
  addExamples(command, ['svc key delete spare --yes'])
}

/** @throws {UsageError} unless exactly one stored key has the name */
async function resolveKeyHash(named: string, command: Command, cli: Cli): Promise<string> {
  if (/^0x[0-9a-f]{64}$/i.test(named)) return named.toLowerCase()
  if (hasApiKeyFormat(named))
    throw new UsageError('expected the hash of the key, not the key itself')
  const { baseUrl } = await cli.deployment(command)
  const kept = ((await cli.credentials.origin(baseUrl)).usage_keys ?? []).filter(
    ({ name }) => name === named,
  )
  if (kept.length === 1) return kept[0]!.hash
  throw new UsageError(
    `${kept.length === 0 ? 'no' : 'more than one'} usage key is stored under this name: use its hash, which svc key list prints`,
  )
}

type GivenRights = {
  executeIn?: number[]
  manageActionsIn?: number[]
  addWalletsTo?: number[]
  removeWalletsFrom?: number[]
  createGroups?: boolean
  deleteGroups?: boolean
  createWallets?: boolean
  capCents?: number
  capWindow?: number
  expiresAt?: string
  maxRequestsPerMinute?: number
  maxConcurrent?: number
  allowedOrigins?: string[]
  allowedIps?: string[]
  allowTriggers?: boolean
  readAccount?: boolean
}

function withRights(command: Command): Command {
  return command
    .option(
      '--execute-in <ids>',
      'allow running the actions of these groups; 0 for all groups',
      groupIds,
    )
    .option('--manage-actions-in <ids>', 'allow changing the actions of these groups', groupIds)
    .option('--add-wallets-to <ids>', 'allow adding wallets to these groups', groupIds)
    .option('--remove-wallets-from <ids>', 'allow removing wallets from these groups', groupIds)
    .option('--create-groups', 'allow creating groups')
    .option('--delete-groups', 'allow deleting groups')
    .option('--create-wallets', 'allow creating wallets')
    .option('--cap-cents <cents>', 'spending cap per window', parseWholeNumber)
    .option('--cap-window <seconds>', 'length of the window', parseWholeNumber)
    .option('--expires-at <time>', 'refuse the key from this time on, in RFC 3339')
    .option(
      '--max-requests-per-minute <count>',
      'requests with the key per clock minute',
      parseWholeNumber,
    )
    .option('--max-concurrent <count>', 'runs of the key in flight', parseWholeNumber)
    .option(
      '--allowed-origins <origins>',
      'web origins from which the key can be used, separated by commas',
      texts,
    )
    .option(
      '--allowed-ips <networks>',
      'networks in CIDR notation from which the key can be used, separated by commas',
      texts,
    )
    .option(
      '--allow-triggers',
      'let triggers use the key in spite of --allowed-origins or --allowed-ips',
    )
    .option('--read-account', 'let the key read everything in the account, and change nothing')
}

function rightsIn(given: GivenRights): Omit<UsageKeyFields, 'name'> {
  return withoutUndefined({
    execute_in_groups: given.executeIn,
    manage_ipfs_ids_in_groups: given.manageActionsIn,
    add_pkp_to_groups: given.addWalletsTo,
    remove_pkp_from_groups: given.removeWalletsFrom,
    can_create_groups: given.createGroups,
    can_delete_groups: given.deleteGroups,
    can_create_pkps: given.createWallets,
    spend_cap_cents: given.capCents,
    spend_window_seconds: given.capWindow,
    expires_at: given.expiresAt,
    max_requests_per_minute: given.maxRequestsPerMinute,
    max_concurrent: given.maxConcurrent,
    allowed_origins: given.allowedOrigins,
    allowed_ips: given.allowedIps,
    allow_triggers: given.allowTriggers,
    can_read_account: given.readAccount,
  })
}

function texts(list: string): string[] {
  return list.split(',').map((text) => text.trim())
}

/** @throws {InvalidArgumentError} */
function limitNames(list: string): LimitField[] {
  return texts(list).map((text) => {
    const name = LIMIT_FIELDS.find((field) => field === text.replaceAll('-', '_'))
    if (name) return name
    throw new InvalidArgumentError(
      `Expected names of limits: ${LIMIT_FIELDS.map((field) => field.replaceAll('_', '-')).join(', ')}.`,
    )
  })
}

function parseWholeNumber(text: string): number {
  if (/^\d{1,12}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('Expected a whole number.')
}
