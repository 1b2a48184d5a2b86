import type { Command } from 'commander'
import type { Cli } from '../cli.ts'
import { addExamples } from './examples.ts'
import { groupId } from './option-values.ts'
import { columns, facts } from './columns.ts'
import { registerWalletPolicy } from './wallet-policy.ts'

export function registerWallet(program: Command, cli: Cli): void {
  const wallet = program
    .command('wallet')
    .description('Manage wallets, whose keys actions can use.')
  registerCreate(wallet, cli)
  registerList(wallet, cli)
  registerWalletPolicy(wallet, cli)
}

type NewWallet = { name: string; description: string; policy?: string }

function registerCreate(wallet: Command, cli: Cli): void {
  const command = cli
    .command(wallet, 'create', 'Create a wallet.')
    .option('--name <text>', 'name of the wallet', '')
    .option('--description <text>', 'description of the wallet', '')
    .option('--policy <file>', 'policy that limits what the wallet may sign; - for standard input')
    .action(async ({ name, description, policy: file }: NewWallet) => {
      const policy = file === undefined ? undefined : await policyIn(file, cli)
      const client = await cli.client(command, { key: 'account' })
      const made = await client.createWallet({ name, description, ...(policy && { policy }) })
      cli.print(command, made, () =>
        facts({ address: made.wallet_address, id: made.pkp_id, policy: made.policy_hash }),
      )
    })
  addExamples(command, [
    'svc wallet create --name treasury',
    'svc wallet create --name payroll --policy policy.json',
  ])
}

/** Reads and validates the policy locally, so that all problems are reported with their paths. */
async function policyIn(file: string, cli: Cli): Promise<object> {
  const { readPolicy } = await import('../policy/read-policy.ts')
  return (await readPolicy(cli, file)).document
}

function registerList(wallet: Command, cli: Cli): void {
  const command = cli
    .command(wallet, 'list', 'List the account’s wallets, and which of them have a policy.')
    .option('--group <id>', 'only wallets that this group permits', groupId)
    .action(async ({ group }: { group?: number }) => {
      const client = await cli.client(command, { key: 'account' })
      const listing =
        group === undefined ? client.listWallets() : client.listWalletsInGroup({ group_id: group })
      const wallets = await listing.all()
      cli.print(command, wallets, () =>
        columns(
          wallets.map(({ wallet_address, policy_hash, name, description }) => [
            wallet_address,
            policy_hash === undefined ? '-' : `policy ${policy_hash.slice(0, 10)}…`,
            name,
            description,
          ]),
        ),
      )
    })
  addExamples(command, ['svc wallet list', 'svc wallet list --json'])
}
