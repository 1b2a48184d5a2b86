/** The project of `project-folder.ts` as an account has it after a deployment, with variations. */
import type { Change, Plan } from '../../../../shared/cli/project/change.ts'
import type { HeldWalletPolicy } from '../../../../shared/client/core/account.ts'
import type {
  DeployedState,
  DeployedWallet,
} from '../../../../shared/cli/project/deployed-state.ts'
import { planDeployment } from '../../../../shared/cli/project/plan.ts'
import { planLines } from '../../../../shared/cli/project/plan-lines.ts'
import type { Project } from '../../../../shared/cli/project/read-project.ts'
import type { Terminal } from '../../../../shared/cli/terminal.ts'
import { cidHash } from '../../../../shared/cid/cid-format.ts'
import { NO_LIMITS } from '../../no-limits.ts'
import { policyOf } from '../../policies/requests.ts'
import {
  FILE,
  POLICY,
  projectFolder,
  type ProjectJson,
  read,
  removeProjectFolders,
} from './project-folder.ts'

export const ADDRESS = { treasury: `0x${'1'.repeat(40)}`, ops: `0x${'2'.repeat(40)}` }
export const idOf = (address: string) => `0x${'0'.repeat(24)}${address.slice(2)}`
export const KEY = `0x${'a'.repeat(64)}`
export const TRIGGER = 'trigger-id'
export const OLD_CID = 'QmPK1s3pNYLi9ERiq3BDxKa4XosgWwFRQUydHUtz4YgpqB'

export const project: Project = await read(projectFolder())
removeProjectFolders()

export const changed = (
  change: (json: ProjectJson) => void,
  files: Record<string, object | string> = {},
) => {
  const json = structuredClone(FILE)
  change(json)
  return read(projectFolder({ 'svc.json': json, ...files }))
}

export const held = (
  policy: Record<string, unknown>,
  others: Partial<HeldWalletPolicy> = {},
): HeldWalletPolicy => ({
  wallet_address: ADDRESS.treasury,
  pkp_id: idOf(ADDRESS.treasury),
  policy_hash: policyOf(policy).hash,
  policy,
  set_at: '2026-01-01T00:00:00Z',
  pending: null,
  sums: [],
  ...others,
})

export const wallet = (
  name: 'treasury' | 'ops',
  policy?: Record<string, unknown>,
): DeployedWallet => ({
  wallet_address: ADDRESS[name],
  pkp_id: idOf(ADDRESS[name]),
  name: `shop/${name}`,
  description: '',
  derivation_path: idOf(ADDRESS[name]),
  ...(policy && { policy_hash: policyOf(policy).hash, held: held(policy) }),
})

export const group = (others: object = {}) => ({
  id: 3,
  group_id: 3,
  name: 'shop/payers',
  description: '',
  pkp_ids_permitted: [idOf(ADDRESS.treasury)],
  cid_hashes_permitted: [project.actions.get('pay')!.hash],
  ...others,
})

export const key = (others: object = {}) => ({
  id: KEY,
  api_key_hash: KEY,
  name: 'shop/runner',
  description: '',
  can_create_groups: false,
  can_delete_groups: false,
  can_create_pkps: false,
  manage_ipfs_ids_in_groups: [],
  add_pkp_to_groups: [],
  remove_pkp_from_groups: [],
  execute_in_groups: [3],
  created_at: null,
  last_used_at: null,
  spend_cap_cents: 5,
  spend_window_seconds: 60,
  spent_cents: 0,
  ...NO_LIMITS,
  ...others,
})

export const trigger = (others: object = {}) => ({
  id: TRIGGER,
  name: 'shop/orders',
  kind: 'webhook' as const,
  action_cid: project.actions.get('pay')!.cid,
  config: {},
  options: {},
  default_params: { wallet: ADDRESS.treasury },
  max_runs_per_minute: 60,
  max_queued_runs: 10_000,
  enabled: true,
  disabled_reason: null,
  ...others,
})

/** State of the account after a deployment. */
export const deployed = (others: Partial<DeployedState> = {}): DeployedState => ({
  wallets: [wallet('treasury', POLICY), wallet('ops')],
  groups: [group()],
  actions: [registered('shop/pay', project.actions.get('pay')!.cid)],
  keys: [key()],
  triggers: [trigger()],
  heldKeys: new Set([KEY]),
  keyAttempts: new Map(),
  triggerKeys: new Map([[TRIGGER, KEY]]),
  triggerSecrets: new Map(),
  ...others,
})

export const registered = (name: string, cid: string) => ({
  cid_hash: cidHash(cid),
  action_ipfs_cid: cid,
  name,
  description: '',
  groups: [3],
})

export const plan = (of: Project, state: DeployedState, prune = false) =>
  planDeployment(of, state, { prune })
export const steps = ({ changes }: Plan) => changes.map(({ operation }) => operation.do)
export const permissions = ({ changes }: Plan) =>
  changes.flatMap((change: Change) => change.permissions)
export const lines = (of: Plan) => planLines(of, { hasColors: false } as Terminal).join('\n')
export const payCid = () => project.actions.get('pay')!.cid
