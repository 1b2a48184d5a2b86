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

function registerCreate(wallet: Command, cli: Cli): void {
  const command = cli
    .command(wallet, 'create', 'Create a wallet.')
    .option('--name <text>', 'name of the wallet', '')
    .option('--description <text>', 'description of the wallet', '')
    .action(async ({ name, description }: { name: string; description: string }) => {
      const client = await cli.client(command, { key: 'account' })
      const made = await client.createWallet({ name, description })
      cli.print(command, made, () => facts({ address: made.wallet_address, id: made.pkp_id }))
    })
  addExamples(command, ['svc wallet create --name treasury'])
}

function registerList(wallet: Command, cli: Cli): void {
  const command = cli
    .command(wallet, 'list', 'List the account’s wallets.')
    .option('--group <id>', 'only wallets that this group permits', groupId)
    .action(async ({ group }: { group?: number }) => {
      const client = await cli.client(command, { key: 'account' })
      const listing =
        group === undefined ? client.listWallets() : client.listWalletsInGroup({ group_id: group })
      const wallets = await listing.all()
      cli.print(command, wallets, () =>
        columns(
          wallets.map(({ wallet_address, name, description }) => [
            wallet_address,
            name,
            description,
          ]),
        ),
      )
    })
  addExamples(command, ['svc wallet list', 'svc wallet list --json'])
}
