import { cidHash } from '../../cid/cid-format.ts'
import { WILDCARD } from '../../cid/wildcard.ts'
import type { Group } from '../../client/core/account.ts'
import { SEND_TRANSACTION_CID } from '../../wire/send-transaction-action.ts'
import type { Change } from './change.ts'
import { oneNamed } from './deployed-state.ts'
import { deployedWallet } from './plan-wallets.ts'
import type { Planned, Planning } from './planning.ts'
import { cidOf, type ProjectGroup } from './read-project.ts'

export function planGroups(planning: Planning): Planned {
  const { project, state, names, prune } = planning
  const parts: Planned[] = [...project.groups].map(([name, declared]) => {
    const group = withoutRepetitions(planning, declared)
    const found = deployedGroup(planning, name)
    return found ? changesOf(planning, name, group, found) : creation(planning, name, group)
  })
  const listed = new Set([...project.groups.keys()].map(names.full))
  const unlisted = state.groups.filter(
    ({ name }) => name.startsWith(names.prefix) && !listed.has(name),
  )
  return {
    changes: parts.flatMap(({ changes }) => changes),
    removals: [
      ...parts.flatMap(({ removals }) => removals),
      ...(prune ? unlisted : []).map((group) => removal(planning, group)),
    ],
    notes: [
      ...parts.flatMap(({ notes }) => notes),
      ...(prune ? [] : unlisted).map(
        ({ name, group_id }) =>
          `the group ${name} (${group_id}) is not in the file; --prune deletes it`,
      ),
    ],
  }
}

/** Two names can stand for the same source or the same wallet. Each is permitted once. */
function withoutRepetitions({ project }: Planning, group: ProjectGroup): ProjectGroup {
  const distinct = (named: readonly string[], idOf: (name: string) => string) =>
    named.filter((name, at) => named.findIndex((other) => idOf(other) === idOf(name)) === at)
  return {
    actions: distinct(group.actions, (name) => cidOf(project, name)),
    wallets: distinct(group.wallets, (name) => project.wallets.get(name)?.address ?? name),
  }
}

/** @throws {UsageError} if several groups have its name */
export function deployedGroup(
  { state, names }: Pick<Planning, 'state' | 'names'>,
  name: string,
): Group | undefined {
  const fix = 'Delete all but one with svc group delete.'
  return oneNamed(state.groups, names.full(name), 'group', ({ group_id }) => group_id, fix)
}

function creation(planning: Planning, name: string, group: ProjectGroup): Planned {
  const { names } = planning
  const empty: Change = {
    change: 'create',
    kind: 'group',
    name: names.full(name),
    details: group.wallets.map((wallet) => `contains the wallet ${wallet}`),
    permissions: [],
    operation: { do: 'create_group', name, wallets: group.wallets },
  }
  const actions = group.actions.map((action) =>
    addition(
      planning,
      name,
      action,
      group.wallets.map((wallet) => walletWords(planning, wallet)),
    ),
  )
  return { changes: [empty, ...actions], removals: [], notes: [] }
}

function changesOf(planning: Planning, name: string, group: ProjectGroup, found: Group): Planned {
  const { project, names, prune } = planning
  const kind = 'group' as const
  const full = names.full(name)
  const idOf = (wallet: string) => deployedWallet(planning, wallet)?.pkp_id.toLowerCase()
  const newWallets = group.wallets.filter(
    (wallet) => !found.pkp_ids_permitted.includes(idOf(wallet) ?? ''),
  )
  const wanted = new Map(
    group.actions.map((action) => [cidHash(cidOf(project, action)), action] as const),
  )
  const newActions = [...wanted].filter(([hash]) => !found.cid_hashes_permitted.includes(hash))
  const otherActions = found.cid_hashes_permitted.filter((hash) => !wanted.has(hash))
  const wantedIds = group.wallets.map(idOf)
  const otherWallets = found.pkp_ids_permitted.filter((id) => !wantedIds.includes(id))
  const wallets = [
    ...group.wallets.map((wallet) => walletWords(planning, wallet)),
    ...(prune ? [] : otherWallets.map((id) => otherWalletWords(planning, id))),
  ]
  const remaining = found.cid_hashes_permitted.map((hash) => actionWords(planning, hash))
  const words = (hashes: readonly string[]) => hashes.map((hash) => actionWords(planning, hash))
  return {
    changes: [
      ...newWallets.map((wallet): Change => {
        const permitted = walletWords(planning, wallet)
        return {
          change: 'update',
          kind,
          name: full,
          details: [`adds the wallet ${wallet}`],
          permissions: remaining.map((action) => `${action} may use ${permitted}`),
          operation: { do: 'add_wallet', group: name, wallet },
        }
      }),
      ...newActions.map(([, action]) => addition(planning, name, action, wallets)),
    ],
    removals: prune
      ? [
          ...otherActions.map((hash): Change => ({
            change: 'update',
            kind,
            name: full,
            details: [`removes ${actionWords(planning, hash)}`],
            permissions: [`${actionWords(planning, hash)} is no longer permitted`],
            operation: { do: 'remove_action', group: name, cidHash: hash },
          })),
          ...otherWallets.map((id): Change => ({
            change: 'update',
            kind,
            name: full,
            details: [`removes ${otherWalletWords(planning, id)}`],
            permissions: [`its actions may no longer use ${otherWalletWords(planning, id)}`],
            operation: { do: 'remove_wallet', group: name, pkpId: id },
          })),
        ]
      : [],
    notes: prune
      ? []
      : [
          ...words(otherActions).map(
            (action) => `the group ${full} still permits ${action}; --prune removes it`,
          ),
          ...otherWallets.map(
            (id) =>
              `the group ${full} still contains ${otherWalletWords(planning, id)}; --prune removes it`,
          ),
        ],
  }
}

function addition(
  planning: Planning,
  group: string,
  action: string,
  wallets: readonly string[],
): Change {
  const { project, names } = planning
  const cid = cidOf(project, action)
  const words = actionWords(planning, cidHash(cid))
  return {
    change: 'update',
    kind: 'group',
    name: names.full(group),
    details: [`permits ${words}`],
    permissions:
      wallets.length === 0
        ? [`${words} may be run`]
        : wallets.map((wallet) => `${words} may use ${wallet}`),
    operation: {
      do: 'add_action',
      group,
      cid,
      label: project.actions.has(action) ? names.full(action) : '',
    },
  }
}

function removal(planning: Planning, { group_id, name, cid_hashes_permitted }: Group): Change {
  return {
    change: 'remove',
    kind: 'group',
    name,
    details: [],
    permissions: cid_hashes_permitted.map(
      (hash) => `${actionWords(planning, hash)} is no longer permitted`,
    ),
    operation: { do: 'remove_group', name, id: group_id },
  }
}

/** A wallet of the file, with what its actions may do with it. */
function walletWords(planning: Planning, name: string): string {
  const deployed = deployedWallet(planning, name)
  const hasPolicy = deployed
    ? deployed.policy_hash !== undefined
    : planning.project.wallets.get(name)?.policy !== undefined
  return hasPolicy
    ? `the wallet ${name} within its policy`
    : `the wallet ${name} without limits, and read its private key`
}

function otherWalletWords({ state }: Planning, pkpId: string): string {
  if (pkpId === WILDCARD) return 'every wallet of the account'
  const found = state.wallets.find(({ pkp_id }) => pkp_id.toLowerCase() === pkpId)
  return `the wallet ${found ? `${found.name || '-'} (${found.wallet_address})` : pkpId}`
}

/** Names an action by its name in the file or in the account, and by its CID. */
function actionWords({ project, state, names }: Planning, hash: string): string {
  if (hash === WILDCARD) return 'every action'
  if (hash === cidHash(SEND_TRANSACTION_CID)) return 'the built-in action sendTransaction'
  const own = [...project.actions.values()].find((action) => action.hash === hash)
  if (own) return `the action ${own.name} (${own.cid})`
  const registered = state.actions.find(({ cid_hash }) => cid_hash === hash)
  const cid = registered?.action_ipfs_cid ?? hash
  const name = registered?.name.startsWith(names.prefix)
    ? registered.name.slice(names.prefix.length)
    : undefined
  return name === undefined ? `the action ${cid}` : `an earlier version of ${name} (${cid})`
}
