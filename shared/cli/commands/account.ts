import type { Command } from 'commander'
import { hasApiKeyFormat } from '../../wire/api-key.ts'
import { apiKeyHash } from '../../crypto/keccak.ts'
import type { Cli } from '../cli.ts'
import { setAccountKey, storedOriginEntry } from '../credentials/credentials.ts'
import type { StoredOrigin } from '../credentials/stored-credentials.ts'
import { UsageError } from '../terminal.ts'
import { registerAudit } from './account-audit.ts'
import { registerRotate } from './account-rotate.ts'
import { addExamples } from './examples.ts'
import { columns, facts } from './columns.ts'

export function registerAccount(program: Command, cli: Cli): void {
  const account = program
    .command('account')
    .description('Manage the account, its key and its credits.')
  for (const register of [
    registerCreate,
    registerUse,
    registerShow,
    registerCredits,
    registerUsage,
  ])
    register(account, cli)
  registerAudit(account, cli)
  registerRotate(account, cli)
}

type ReplaceOption = { replace?: boolean }

function registerCreate(account: Command, cli: Cli): void {
  const command = cli
    .command(account, 'create', 'Open an account and store its key.')
    .option('--name <text>', 'name of the account', 'svc')
    .option('--description <text>', 'description of the account', '')
    .option('--email <address>', 'contact address')
    .option('--show', 'also print the key; by default it is only stored in the credentials file')
    .option('--replace', 'if an account key is already stored, keep it as a former key')
    .action(
      async (
        given: {
          name: string
          description: string
          email?: string
          show?: boolean
        } & ReplaceOption,
      ) => {
        const { baseUrl } = await cli.deployment(command)
        requireReplace(await cli.credentials.origin(baseUrl), given, baseUrl)
        const client = await cli.client(command, {})
        cli.progress(command, 'Opening the account. This takes a few seconds.')
        const { api_key, wallet_address } = await client.newAccount({
          account_name: given.name,
          account_description: given.description,
          ...(given.email !== undefined && { email: given.email }),
        })
        await storeAccountKey(api_key, command, cli)
        const api_key_hash = apiKeyHash(api_key)
        const kept_in = cli.credentials.file
        const said = { api_key_hash, wallet_address, kept_in, ...(given.show && { api_key }) }
        cli.print(command, said, () =>
          facts({
            'key hash': api_key_hash,
            wallet: wallet_address,
            'stored in': kept_in,
            ...(given.show && { key: api_key }),
          }),
        )
      },
    )
  addExamples(command, ['svc account create --name first'])
}

function registerUse(account: Command, cli: Cli): void {
  const command = cli
    .command(account, 'use', 'Store the key of an existing account.')
    .requiredOption('--key-file <file>', 'file with the key; - for standard input')
    .option('--replace', 'if an account key is already stored, keep it as a former key')
    .action(async ({ keyFile: file, ...given }: { keyFile: string } & ReplaceOption) => {
      const { baseUrl } = await cli.deployment(command)
      const key = (await cli.secret({ file, variable: 'SVC_API_KEY' })) ?? ''
      if (!hasApiKeyFormat(key))
        throw new UsageError('--key-file: expected an API key, 44 base64 characters')
      const kept = await cli.credentials.origin(baseUrl)
      if (kept.account_key !== key) requireReplace(kept, given, baseUrl)
      const client = await cli.client(command, {})
      if (!(await client.accountExists(key)))
        throw new UsageError(`no account at ${baseUrl} has this key`)
      await storeAccountKey(key, command, cli)
      const api_key_hash = apiKeyHash(key)
      cli.print(command, { api_key_hash, kept_in: cli.credentials.file }, () => [
        `Stored the key for ${baseUrl}. Hash of the key: ${api_key_hash}`,
      ])
    })
  addExamples(command, ['svc account use --key-file account.key --replace'])
}

/** Requires `--replace` before a stored account key is overwritten, because the stored key may be the only copy. */
function requireReplace(
  { account_key }: StoredOrigin,
  { replace }: ReplaceOption,
  baseUrl: string,
): void {
  if (account_key !== undefined && !replace)
    throw new UsageError(
      `an account key is already stored for ${baseUrl}; use --replace to replace it`,
    )
}

async function storeAccountKey(key: string, command: Command, cli: Cli): Promise<void> {
  const { baseUrl, known } = await cli.deployment(command)
  await cli.credentials.change((kept) => {
    setAccountKey(storedOriginEntry(kept, baseUrl), key)
    kept.current = {
      base_url: baseUrl,
      ...(known.triggersUrl !== undefined && { triggers_url: known.triggersUrl }),
    }
  })
}

function registerShow(account: Command, cli: Cli): void {
  const command = cli
    .command(account, 'show', 'Show the account’s credits, wallets, groups and keys.')
    .action(async () => {
      const { baseUrl } = await cli.deployment(command)
      const client = await cli.client(command, { key: 'account' })
      const [balance, wallets, groups, keys] = await Promise.all([
        client.billing.balance(),
        client.listWallets().all(),
        client.listGroups().all(),
        client.listApiKeys().all(),
      ])
      const said = {
        base_url: baseUrl,
        ...balance,
        wallets: wallets.length,
        groups: groups.length,
        usage_keys: keys.length,
      }
      cli.print(command, said, () =>
        facts({
          at: baseUrl,
          credits: balance.balance_display,
          wallets: String(wallets.length),
          groups: String(groups.length),
          'usage keys': String(keys.length),
        }),
      )
    })
  addExamples(command, ['svc account show'])
}

function registerCredits(account: Command, cli: Cli): void {
  const command = cli
    .command(account, 'credits', 'Show the available credits.')
    .alias('balance')
    .action(async () => {
      const { billing } = await cli.client(command, { key: 'account' })
      const balance = await billing.balance()
      cli.print(command, balance, () => columns([[balance.balance_display]]))
    })
  addExamples(command, ['svc account credits', 'svc account credits --json'])
}

function registerUsage(account: Command, cli: Cli): void {
  const command = cli
    .command(account, 'usage', 'Show the charges by day, key and action.')
    .option('--from <day>', 'first UTC day, as YYYY-MM-DD (default: 30 days before the end)')
    .option('--to <day>', 'last UTC day, inclusive (default: today)')
    .action(async ({ from, to }: { from?: string; to?: string }) => {
      const { billing } = await cli.client(command, { key: 'account' })
      const rows = await billing.usage({ ...(from && { from }), ...(to && { to }) }).all()
      cli.print(command, rows, () =>
        columns(
          rows.map((row) => [
            row.day,
            `${row.cents} c`,
            String(row.quantity),
            row.kind,
            row.key_name ?? row.api_key_hash.slice(0, 10),
            row.action_cid ?? row.operation ?? '',
          ]),
        ),
      )
    })
  addExamples(command, ['svc account usage'])
}
