import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
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
import { WILDCARD } from '../../../../shared/cid/wildcard.ts'
import { SEND_TRANSACTION_CID } from '../../../../shared/wire/send-transaction-action.ts'
import { policyOf } from '../../policies/requests.ts'
import {
  documentedPlan,
  documentedProject,
  EMPTY,
  FILE,
  POLICY,
  projectFolder,
  type ProjectJson,
  read,
  removeProjectFolders,
} from './project-folder.ts'

const ADDRESS = { treasury: `0x${'1'.repeat(40)}`, ops: `0x${'2'.repeat(40)}` }
const idOf = (address: string) => `0x${'0'.repeat(24)}${address.slice(2)}`
const KEY = `0x${'a'.repeat(64)}`
const TRIGGER = 'trigger-id'
const OLD_CID = 'QmPK1s3pNYLi9ERiq3BDxKa4XosgWwFRQUydHUtz4YgpqB'

afterAll(removeProjectFolders)

let project: Project
beforeAll(async () => {
  project = await read(projectFolder())
})

const changed = (
  change: (json: ProjectJson) => void,
  files: Record<string, object | string> = {},
) => {
  const json = structuredClone(FILE)
  change(json)
  return read(projectFolder({ 'svc.json': json, ...files }))
}

const held = (
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

const wallet = (name: 'treasury' | 'ops', policy?: Record<string, unknown>): DeployedWallet => ({
  wallet_address: ADDRESS[name],
  pkp_id: idOf(ADDRESS[name]),
  name: `shop/${name}`,
  description: '',
  derivation_path: idOf(ADDRESS[name]),
  ...(policy && { policy_hash: policyOf(policy).hash, held: held(policy) }),
})

const group = (others: object = {}) => ({
  id: 3,
  group_id: 3,
  name: 'shop/payers',
  description: '',
  pkp_ids_permitted: [idOf(ADDRESS.treasury)],
  cid_hashes_permitted: [project.actions.get('pay')!.hash],
  ...others,
})

const key = (others: object = {}) => ({
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
  ...others,
})

const trigger = (others: object = {}) => ({
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
const deployed = (others: Partial<DeployedState> = {}): DeployedState => ({
  wallets: [wallet('treasury', POLICY), wallet('ops')],
  groups: [group()],
  actions: [registered('shop/pay', project.actions.get('pay')!.cid)],
  keys: [key()],
  triggers: [trigger()],
  heldKeys: new Set([KEY]),
  keyAttempts: new Map(),
  triggerKeys: new Map([[TRIGGER, KEY]]),
  ...others,
})

const registered = (name: string, cid: string) => ({
  cid_hash: cidHash(cid),
  action_ipfs_cid: cid,
  name,
  description: '',
  groups: [3],
})

const plan = (of: Project, state: DeployedState, prune = false) =>
  planDeployment(of, state, { prune })
const steps = ({ changes }: Plan) => changes.map(({ operation }) => operation.do)
const permissions = ({ changes }: Plan) => changes.flatMap((change: Change) => change.permissions)
const lines = (of: Plan) => planLines(of, { hasColors: false } as Terminal).join('\n')
const payCid = () => project.actions.get('pay')!.cid

describe('the plan', () => {
  it('creates everything in an empty account, permissions before what needs them', () => {
    const made = plan(project, EMPTY)
    expect(steps(made)).toEqual([
      'create_wallet',
      'create_wallet',
      'create_group',
      'add_action',
      'create_key',
      'create_trigger',
    ])
    expect(lines(made)).toBe(`+ wallet shop/treasury
    policy policy.json (${policyOf(POLICY).hash})
+ wallet shop/ops
    without a policy
+ group shop/payers
    contains the wallet treasury
    permits the action pay (${payCid()})
  ! the action pay (${payCid()}) may use the wallet treasury within its policy
+ key shop/runner
    at most 5 cents in 60 s
  ! holders of the key runner may run the actions of the group payers
+ trigger shop/orders
    webhook
    runs pay (${payCid()}) with the key runner
  ! anyone who knows the webhook’s URL may start pay with the key runner
5 to create, 0 to update, 0 to remove.`)
  })

  it('is printed as in docs/projects.md', async () => {
    const folder = projectFolder({ 'svc.json': documentedProject(), 'policy.json': POLICY })
    mkdirSync(join(folder, 'src'))
    writeFileSync(join(folder, 'src/confirm.ts'), 'export async function main() {}')
    const printed = lines(plan(await read(folder), EMPTY))
    const shortened = printed.replace(/\bQm\w{44}/g, 'Qm…').replace(/\(0x\w{64}\)/, '(0x2aad…)')
    expect(shortened).toBe(documentedPlan())
  })

  it('is empty for an account that matches, with and without --prune', () => {
    for (const prune of [false, true]) {
      const made = plan(project, deployed(), prune)
      expect(made).toEqual({ changes: [], notes: [] })
      expect(lines(made)).toBe('No changes.')
    }
  })

  it('leaves objects alone that were made by hand, even with --prune', () => {
    const state = deployed({
      wallets: [...deployed().wallets, { ...wallet('ops'), name: 'treasury' }],
      groups: [
        group(),
        group({ group_id: 4, name: 'payers' }),
        group({ group_id: 5, name: 'shop' }),
      ],
      keys: [key(), key({ api_key_hash: `0x${'b'.repeat(64)}`, name: 'runner' })],
      triggers: [trigger(), trigger({ id: 'other', name: 'orders' })],
    })
    expect(plan(project, state, true)).toEqual({ changes: [], notes: [] })
  })

  it('leaves the objects of another environment alone', async () => {
    const staging = await read(
      projectFolder({ 'svc.json': { ...FILE, environments: { staging: {} } } }),
      'staging',
    )
    const made = plan(staging, deployed(), true)
    expect(made.changes.map(({ change, name }) => `${change} ${name}`)).toEqual([
      'create shop@staging/treasury',
      'create shop@staging/ops',
      'create shop@staging/payers',
      'update shop@staging/payers',
      'create shop@staging/runner',
      'create shop@staging/orders',
    ])
  })

  it('notes an action that no group permits', async () => {
    const made = plan(
      await changed(({ actions, groups }) => {
        actions.idle = 'pay.js'
        groups.payers.actions = []
      }),
      EMPTY,
    )
    expect(made.notes).toEqual([
      'the action pay of a trigger is in no group of the file: its runs are rejected unless another group permits it',
      'the action idle is in no group, so no usage key can run it',
    ])
  })
})

describe('a changed source', () => {
  const before = () =>
    deployed({
      groups: [group({ cid_hashes_permitted: [cidHash(OLD_CID)] })],
      actions: [registered('shop/pay', OLD_CID)],
      triggers: [trigger({ action_cid: OLD_CID })],
    })

  it('is permitted before the trigger runs it, and the old source stays permitted, which the plan says', () => {
    const made = plan(project, before())
    expect(steps(made)).toEqual(['add_action', 'update_trigger'])
    expect(made.changes[1]!.operation).toMatchObject({
      id: TRIGGER,
      fields: { action_code: project.actions.get('pay')!.code },
    })
    expect(made.notes).toEqual([
      `the group shop/payers still permits an earlier version of pay (${OLD_CID}); --prune removes it`,
    ])
    expect(lines(made)).toContain(`    runs pay (${payCid()}) instead of ${OLD_CID}`)
  })

  it('and another key of a webhook are permissions of anyone who knows its URL', async () => {
    const other = await changed((json) => {
      json['keys'].other = { execute_in_groups: ['payers'] }
      json['triggers'].orders.key = 'other'
    })
    const started = 'anyone who knows the webhook’s URL may start pay with the key'
    expect(permissions(plan(project, before()))).toContain(`${started} runner`)
    expect(permissions(plan(other, deployed()))).toContain(`${started} other`)
    const slower = await changed(({ triggers }) => (triggers.orders.max_runs_per_minute = 1))
    expect(permissions(plan(slower, deployed()))).toEqual([])
  })

  it('with --prune, the old source is removed last', () => {
    const made = plan(project, before(), true)
    expect(steps(made)).toEqual(['add_action', 'update_trigger', 'remove_action'])
    expect(made.changes[2]!.operation).toMatchObject({ cidHash: cidHash(OLD_CID) })
    expect(permissions(made)).toContain(
      `an earlier version of pay (${OLD_CID}) is no longer permitted`,
    )
    expect(made.notes).toEqual([])
  })

  it('a rerun after a crash between the two changes only changes the trigger', () => {
    const both = [cidHash(OLD_CID), project.actions.get('pay')!.hash]
    const state = { ...before(), groups: [group({ cid_hashes_permitted: both })] }
    expect(steps(plan(project, state))).toEqual(['update_trigger'])
  })

  it('a renamed action has the same CID, so nothing changes', async () => {
    const renamed = await changed(({ actions, groups, triggers }) => {
      delete actions.pay
      actions.payout = 'pay.js'
      groups.payers.actions = ['payout']
      triggers.orders.action = 'payout'
    })
    expect(plan(renamed, deployed(), true).changes).toEqual([])
  })
})

describe('groups', () => {
  it('permit an action and a wallet once, also under two names', async () => {
    const repeated = await changed((json) => {
      json['actions'].again = 'pay.js'
      json['groups'].payers = { actions: ['pay', 'again', 'pay'], wallets: ['ops', 'ops'] }
    })
    const operations = plan(repeated, EMPTY).changes.map(({ operation }) => operation)
    expect(operations.filter((operation) => operation.do === 'add_action')).toHaveLength(1)
    expect(operations).toContainEqual({ do: 'create_group', name: 'payers', wallets: ['ops'] })
  })

  it('say what the actions of a group may do with a wallet that is added', async () => {
    const more = await changed(({ groups }) => groups.payers.wallets.push('ops'))
    const made = plan(more, deployed())
    expect(steps(made)).toEqual(['add_wallet'])
    expect(permissions(made)).toEqual([
      `the action pay (${payCid()}) may use the wallet ops without limits, and read its private key`,
    ])
  })

  it('note members that were added by hand, and remove them with --prune', () => {
    const state = deployed({
      groups: [
        group({
          pkp_ids_permitted: [idOf(ADDRESS.treasury), idOf(ADDRESS.ops), WILDCARD],
          cid_hashes_permitted: [project.actions.get('pay')!.hash, WILDCARD],
        }),
      ],
    })
    const made = plan(project, state)
    expect(made.changes).toEqual([])
    expect(made.notes).toEqual([
      'the group shop/payers still permits every action; --prune removes it',
      `the group shop/payers still contains the wallet shop/ops (${ADDRESS.ops}); --prune removes it`,
      'the group shop/payers still contains every wallet of the account; --prune removes it',
    ])
    expect(steps(plan(project, state, true))).toEqual([
      'remove_action',
      'remove_wallet',
      'remove_wallet',
    ])
  })

  it('can permit the CID of another action', async () => {
    const sending = await changed(({ groups }) => groups.payers.actions.push(SEND_TRANSACTION_CID))
    const made = plan(sending, deployed())
    expect(made.changes[0]!.operation).toMatchObject({ cid: SEND_TRANSACTION_CID, label: '' })
    expect(permissions(made)).toEqual([
      'the built-in action sendTransaction may use the wallet treasury within its policy',
    ])
  })

  it('that several have the same name are an error, which lists them', () => {
    const state = deployed({ groups: [group(), group({ group_id: 9 })] })
    expect(() => plan(project, state)).toThrow('2 groups are named shop/payers: 3, 9.')
  })

  it('that the file no longer lists stay, or are deleted with --prune after the key and the trigger', async () => {
    const without = await changed((json) => {
      json['groups'] = {}
      json['keys'] = {}
      json['triggers'] = {}
    })
    const made = plan(without, deployed())
    expect(made.changes).toEqual([])
    expect(made.notes).toContain('the group shop/payers (3) is not in the file; --prune deletes it')
    expect(steps(plan(without, deployed(), true))).toEqual([
      'remove_trigger',
      'remove_key',
      'remove_group',
    ])
  })

  it('a rerun after a crash between the creation and the first action only permits the action', () => {
    const state = {
      ...EMPTY,
      wallets: deployed().wallets,
      groups: [group({ cid_hashes_permitted: [] })],
    }
    expect(steps(plan(project, state)).slice(0, 2)).toEqual(['add_action', 'create_key'])
  })
})

describe('wallets', () => {
  const tight = { ...POLICY, rules: [{ ...POLICY.rules[0], messages: [{ prefix: 'orders: 1' }] }] }
  const loose = { ...POLICY, rules: [{ ...POLICY.rules[0], messages: 'any' }] }
  const withPolicy = (policy: object) => changed(() => undefined, { 'policy.json': policy })

  it('say that a loosened policy takes effect after its delay, and what it allows', async () => {
    const made = plan(await withPolicy(loose), deployed())
    expect(made.changes[0]!.operation).toMatchObject({
      do: 'set_policy',
      replaces: policyOf(POLICY).hash,
    })
    expect(lines(made)).toContain(
      `    policy ${policyOf(POLICY).hash} becomes ${policyOf(loose).hash} (policy.json), after 1 hour`,
    )
    expect(permissions(made)).toEqual([
      expect.stringMatching(/^- greet: allows messages/),
      expect.stringMatching(/^\+ greet: allows/),
    ])
  })

  it('say that a tightened policy takes effect at once', async () => {
    expect(lines(plan(await withPolicy(tight), deployed()))).toContain('(policy.json), at once')
  })

  it('do not set a policy again that is pending', async () => {
    const pending = {
      policy_hash: policyOf(loose).hash,
      policy: loose,
      effective_at: '2026-01-01T01:00:00Z',
    }
    const state = deployed({
      wallets: [{ ...wallet('treasury', POLICY), held: held(POLICY, { pending }) }, wallet('ops')],
    })
    const made = plan(await withPolicy(loose), state)
    expect(made.changes).toEqual([])
    expect(made.notes).toEqual([
      'the policy policy.json of the wallet shop/treasury takes effect at 2026-01-01 01:00:00Z',
    ])
    const canceled = plan(project, state)
    expect(steps(canceled)).toEqual(['set_policy'])
    expect(lines(canceled)).toContain(`cancels the pending policy ${policyOf(loose).hash}`)
  })

  it('never get a policy after their creation', () => {
    const state = deployed({ wallets: [wallet('treasury'), wallet('ops')] })
    expect(() => plan(project, state)).toThrow(
      `wallets.treasury.policy: the wallet shop/treasury (${ADDRESS.treasury}) was created without a policy`,
    )
  })

  it('keep a policy that the file does not mention', async () => {
    const without = await changed(({ wallets }) => delete wallets.treasury.policy)
    const made = plan(without, deployed())
    expect(made.changes).toEqual([])
    expect(made.notes).toEqual([
      'the wallet shop/treasury has a policy, which the file does not mention and which stays',
    ])
  })

  it('with an immutable policy cannot get another one', () => {
    const policy = { ...POLICY, immutable: true }
    const state = deployed({ wallets: [wallet('treasury', policy), wallet('ops')] })
    expect(() => plan(project, state)).toThrow('is immutable, and differs from policy.json')
  })

  it('that become immutable say so', async () => {
    const made = plan(await withPolicy({ ...POLICY, immutable: true }), deployed())
    expect(permissions(made)).toContain('the policy can never be changed again')
  })

  it('can be wallets that exist, which are neither created nor changed', async () => {
    const existing = await changed(
      ({ wallets }) => (wallets.treasury = { address: ADDRESS.treasury }),
    )
    const state = deployed({
      wallets: [{ ...wallet('treasury', POLICY), name: 'by hand' }, wallet('ops')],
    })
    expect(plan(existing, state)).toEqual({ changes: [], notes: [] })
    expect(() => plan(existing, EMPTY)).toThrow(
      `wallets.treasury.address: the account has no wallet ${ADDRESS.treasury}`,
    )
  })

  it('are never deleted, and several with one name are an error', async () => {
    const without = await changed(({ wallets }) => delete wallets.ops)
    expect(plan(without, deployed(), true)).toEqual({
      changes: [],
      notes: [`the wallet shop/ops (${ADDRESS.ops}) is not in the file; wallets are never deleted`],
    })
    const twice = deployed({ wallets: [...deployed().wallets, wallet('ops')] })
    expect(() => plan(project, twice)).toThrow('Choose one with wallets.ops.address')
  })
})

describe('usage keys', () => {
  it('get more groups, and lose groups only with --prune', async () => {
    const both = await changed(({ groups, keys }) => {
      groups.second = {}
      keys.runner.execute_in_groups = ['second']
    })
    const made = plan(both, deployed())
    expect(steps(made)).toEqual(['create_group', 'update_key'])
    expect(made.changes[1]!.operation).toMatchObject({
      key: { groups: ['second'], otherGroupIds: [3] },
    })
    expect(made.notes).toEqual([
      'the key shop/runner may still run the actions of the group shop/payers (3); --prune removes this',
    ])
    expect(steps(plan(both, deployed(), true))).toEqual([
      'create_group',
      'update_key',
      'update_key',
    ])
  })

  it('ignore groups that no longer exist', () => {
    expect(plan(project, deployed({ keys: [key({ execute_in_groups: [3, 8] })] }))).toEqual({
      changes: [],
      notes: [],
    })
  })

  it('say that a cap is raised or removed', async () => {
    const raised = await changed(({ keys }) => (keys.runner.spend_cap_cents = 50))
    expect(permissions(plan(raised, deployed()))).toEqual([
      'the key runner may spend more: at most 50 cents in 60 s',
    ])
    const removed = await changed(({ keys }) => (keys.runner = { execute_in_groups: ['payers'] }))
    const made = plan(removed, deployed())
    expect(permissions(made)).toEqual(['the key runner may spend more: no spending cap'])
    expect(made.changes[0]!.operation).toMatchObject({ key: { cap: null } })
    const lowered = await changed(({ keys }) => (keys.runner.spend_cap_cents = 1))
    expect(permissions(plan(lowered, deployed()))).toEqual([])
  })

  it('are replaced if an interrupted deployment of this machine lost them', () => {
    const lost = deployed({
      keys: [key({ description: 'svc deploy 0123' })],
      triggers: [],
      heldKeys: new Set(),
      keyAttempts: new Map([['shop/runner', ['ffff', '0123']]]),
    })
    const made = plan(project, lost)
    expect(steps(made)).toEqual(['create_key', 'create_trigger'])
    expect(made.changes[0]!.operation).toMatchObject({ replaces: KEY })
  })

  it('of another machine are never replaced, although an attempt of this machine has the same name', () => {
    const other = deployed({
      keys: [key({ description: 'svc deploy 9999' })],
      triggers: [],
      heldKeys: new Set(),
      keyAttempts: new Map([['shop/runner', ['0123']]]),
    })
    expect(() => plan(project, other)).toThrow(
      'triggers.orders.key: the usage key shop/runner exists, but is not stored on this machine.',
    )
  })

  it('that are created again are given to the triggers that had the old ones', () => {
    const made = plan(project, deployed({ keys: [], heldKeys: new Set() }))
    expect(steps(made)).toEqual(['create_key', 'update_trigger'])
    expect(made.changes[1]!.operation).toMatchObject({ key: 'runner' })
  })
})

describe('triggers', () => {
  it.each<[string, (json: ProjectJson) => void, object, string]>([
    [
      'params',
      ({ triggers }) => (triggers.orders.default_params.n = 1.5),
      { default_params: { wallet: ADDRESS.treasury, n: 1.5 } },
      'default_params: ',
    ],
    [
      'options',
      ({ triggers }) => (triggers.orders.options = { pass_headers: ['X-Region', 'x-region'] }),
      { options: { pass_headers: ['x-region'] } },
      'options: {} becomes {"pass_headers":["x-region"]}',
    ],
    [
      'limits',
      ({ triggers }) => (triggers.orders.max_queued_runs = 5),
      { max_queued_runs: 5 },
      'max_queued_runs: 10000 becomes 5',
    ],
    [
      'enabled',
      ({ triggers }) => (triggers.orders.enabled = false),
      { enabled: false },
      'enabled: true becomes false',
    ],
  ])('change only what differs: %s', async (_what, change, fields, words) => {
    const made = plan(await changed(change), deployed())
    expect(made.changes).toHaveLength(1)
    expect(made.changes[0]!.operation).toMatchObject({ do: 'update_trigger', id: TRIGGER })
    expect(made.changes[0]!.operation).toHaveProperty('fields', fields)
    expect(lines(made)).toContain(words)
  })

  it('change the expression of a schedule', async () => {
    const scheduled = await changed(({ triggers }) => {
      triggers.orders = {
        kind: 'schedule',
        action: 'pay',
        key: 'runner',
        config: { cron: '0 7 * * *' },
      }
    })
    const found = trigger({
      kind: 'schedule',
      config: { cron: '0 6 * * *' },
      default_params: {},
      max_queued_runs: 100,
    })
    const made = plan(scheduled, deployed({ triggers: [found] }))
    expect(lines(made)).toContain('config: {"cron":"0 6 * * *"} becomes {"cron":"0 7 * * *"}')
    expect(
      steps(plan(scheduled, deployed({ triggers: [{ ...found, config: { cron: '0 7 * * *' } }] }))),
    ).toEqual([])
  })

  it('return to their defaults if the file no longer sets a member', () => {
    const found = trigger({ options: { concurrency: 4 }, max_runs_per_minute: 5 })
    const made = plan(project, deployed({ triggers: [found] }))
    expect(made.changes[0]!.operation).toHaveProperty('fields', {
      options: {},
      max_runs_per_minute: 60,
    })
  })

  it('that somebody disabled stay disabled, which the plan says', () => {
    const found = trigger({ enabled: false, disabled_reason: 'the usage key is rejected' })
    expect(plan(project, deployed({ triggers: [found] }))).toEqual({
      changes: [],
      notes: ['the trigger shop/orders is disabled: the usage key is rejected'],
    })
  })

  it('cannot change their kind', () => {
    const state = deployed({ triggers: [trigger({ kind: 'schedule' })] })
    expect(() => plan(project, state)).toThrow(
      'triggers.orders.kind: the trigger shop/orders (trigger-id) is of the kind schedule',
    )
  })

  it('get their key again if this machine has no record of it, and never without the key', () => {
    const unknown = deployed({ triggerKeys: new Map() })
    expect(steps(plan(project, unknown))).toEqual(['update_trigger'])
    expect(plan(project, { ...unknown, heldKeys: new Set() }).changes).toEqual([])
    const wrong = deployed({ triggerKeys: new Map([[TRIGGER, `0x${'c'.repeat(64)}`]]) })
    expect(steps(plan(project, wrong))).toEqual(['update_trigger'])
    expect(() => plan(project, { ...wrong, heldKeys: new Set() })).toThrow(
      'is not stored on this machine',
    )
  })

  it('show control characters of names as text: an attacker’s trigger cannot forge lines of the plan', () => {
    const state = deployed({
      triggers: [trigger(), trigger({ id: 'x', name: 'shop/a\nNo changes.' })],
    })
    expect(lines(plan(project, state))).toContain('the trigger shop/a?No changes. (x)')
  })

  it('with several of one name are an error', () => {
    const state = deployed({ triggers: [trigger(), trigger({ id: 'other' })] })
    expect(() => plan(project, state)).toThrow(
      '2 triggers are named shop/orders: trigger-id, other.',
    )
  })
})
