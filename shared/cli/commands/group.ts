import type { Command } from 'commander'
import { isActionCid } from '../../cid/cid-format.ts'
import { WILDCARD } from '../../cid/wildcard.ts'
import type { ApiClient } from '../../client/api/client.ts'
import type { Cli } from '../cli.ts'
import { addExamples } from './examples.ts'
import { collectOption, groupId } from './option-values.ts'
import { columns, facts } from './columns.ts'

const ACTION_ARGUMENT = 'source file or CID'

export function registerGroup(program: Command, cli: Cli): void {
  const group = program
    .command('group')
    .description('Manage groups, which define which actions can use which wallets.')
  registerCreate(group, cli)
  registerList(group, cli)
  registerShow(group, cli)
  for (const member of MEMBER_COMMANDS) registerMember(group, cli, member)
  registerDelete(group, cli)
}

type NewGroup = { name: string; description: string; wallet: string[]; action: string[] } & {
  allWallets?: boolean
  allActions?: boolean
}

function registerCreate(group: Command, cli: Cli): void {
  const command = cli
    .command(group, 'create', 'Create a group.')
    .option('--name <text>', 'name of the group', 'svc')
    .option('--description <text>', 'description of the group', '')
    .option('--wallet <address>', 'wallet to permit; can be repeated', collectOption, [])
    .option('--action <file or cid>', 'action to permit; can be repeated', collectOption, [])
    .option('--all-wallets', 'permit every wallet of the account')
    .option('--all-actions', 'permit every action, even one that leaks the key of a wallet')
    .action(async (given: NewGroup) => {
      const cids = await Promise.all(given.action.map((named) => resolveActionCid(named, cli)))
      const client = await cli.client(command, { key: 'account' })
      const { group_id } = await client.addGroup({
        group_name: given.name,
        group_description: given.description,
        pkp_ids_permitted: given.allWallets ? [WILDCARD] : given.wallet,
        cid_hashes_permitted: given.allActions ? [0] : [],
      })
      // Actions are added by CID after the group is created. If the group were created with the actions' hashes, the
      // service would not know the CIDs.
      for (const action_ipfs_cid of cids)
        await client.addActionToGroup({ group_id, action_ipfs_cid })
      cli.print(command, { group_id, action_cids: cids }, () =>
        facts({ group: String(group_id), actions: cids.join(' ') }),
      )
    })
  addExamples(command, [
    'svc group create --name signers --action action.js --all-wallets',
    'svc group create --name other',
  ])
}

function registerList(group: Command, cli: Cli): void {
  const command = cli.command(group, 'list', 'List the account’s groups.').action(async () => {
    const client = await cli.client(command, { key: 'account' })
    const groups = await client.listGroups().all()
    const count = (permitted: readonly string[], what: string) =>
      permitted.includes(WILDCARD)
        ? `all ${what}s`
        : `${permitted.length} ${what}${permitted.length === 1 ? '' : 's'}`
    cli.print(command, groups, () =>
      columns(
        groups.map(
          ({ group_id, name, pkp_ids_permitted: wallets, cid_hashes_permitted: actions }) => [
            String(group_id),
            count(wallets, 'wallet'),
            count(actions, 'action'),
            name,
          ],
        ),
      ),
    )
  })
  addExamples(command, ['svc group list'])
}

function registerShow(group: Command, cli: Cli): void {
  const command = cli
    .command(group, 'show', 'Show a group with its wallets, actions and keys.')
    .argument('<id>', 'ID of the group', groupId)
    .action(async (group_id: number) => {
      const client = await cli.client(command, { key: 'account' })
      const whole = await client.getGroup({ group_id })
      cli.print(command, whole, () =>
        columns([
          ['group', String(whole.group_id), whole.name],
          ...whole.wallets.map(({ wallet_address, name }) => ['wallet', wallet_address, name]),
          ...whole.actions.map(({ action_ipfs_cid, cid_hash, name }) => [
            'action',
            action_ipfs_cid ?? cid_hash,
            name,
          ]),
          ...whole.keys.map(({ api_key_hash, name }) => ['key', api_key_hash, name]),
        ]),
      )
    })
  addExamples(command, ['svc group show 1'])
}

type MemberCommand = {
  name: string
  description: string
  argument: [name: string, description: string]
  change(this: void, client: ApiClient, group_id: number, named: string): Promise<unknown>
  /** If absent, the argument is sent unchanged. */
  named?(this: void, named: string, cli: Cli): Promise<string>
  example: string
}

const WALLET: MemberCommand['argument'] = ['wallet', 'address or ID of the wallet']

const MEMBER_COMMANDS: readonly MemberCommand[] = [
  {
    name: 'add-wallet',
    description: 'Permit the group’s actions to use a wallet.',
    argument: WALLET,
    change: (client, group_id, pkp_id) => client.addPkpToGroup({ group_id, pkp_id }),
    example: 'svc group add-wallet 1 $WALLET',
  },
  {
    name: 'remove-wallet',
    description: 'Remove a wallet from a group.',
    argument: WALLET,
    change: (client, group_id, pkp_id) => client.removePkpFromGroup({ group_id, pkp_id }),
    example: 'svc group remove-wallet 1 $WALLET',
  },
  {
    name: 'add-action',
    description: 'Permit an action in a group.',
    argument: ['action', ACTION_ARGUMENT],
    named: resolveActionCid,
    change: (client, group_id, action_ipfs_cid) =>
      client.addActionToGroup({ group_id, action_ipfs_cid }),
    example: 'svc group add-action 1 other.js',
  },
  {
    name: 'remove-action',
    description: 'Remove an action from a group.',
    argument: ['action', ACTION_ARGUMENT],
    named: resolveActionCid,
    change: (client, group_id, action_ipfs_cid) =>
      client.removeActionFromGroup({ group_id, action_ipfs_cid }),
    example: 'svc group remove-action 1 other.js',
  },
]

function registerMember(group: Command, cli: Cli, member: MemberCommand): void {
  const command = cli
    .command(group, member.name, member.description)
    .argument('<id>', 'ID of the group', groupId)
    .argument(`<${member.argument[0]}>`, member.argument[1])
    .action(async (id: number, given: string) => {
      const named = member.named ? await member.named(given, cli) : given
      const client = await cli.client(command, { key: 'account' })
      const done = await member.change(client, id, named)
      cli.print(command, done, () => [])
    })
  addExamples(command, [member.example])
}

function registerDelete(group: Command, cli: Cli): void {
  const command = cli
    .command(group, 'delete', 'Delete a group. Its wallets and actions are kept.')
    .argument('<id>', 'ID of the group', groupId)
    .option('--yes', 'do not ask for confirmation')
    .action(async (group_id: number, { yes }: { yes?: boolean }) => {
      if (!yes && !(await cli.confirm(`Delete group ${group_id}?`))) return
      const client = await cli.client(command, { key: 'account' })
      cli.print(command, await client.removeGroup({ group_id }), () => [])
    })
  addExamples(command, ['svc group delete 2 --yes'])
}

async function resolveActionCid(named: string, cli: Cli): Promise<string> {
  if (isActionCid(named)) return named
  const { actionCid } = await import('../../cid/compute-cid.ts')
  return actionCid(await cli.actionSource(named))
}
