import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { cidHash } from '../../../../shared/cid/cid-format.ts'
import { policyOf } from '../../policies/requests.ts'
import {
  documentedPlan,
  documentedProject,
  EMPTY,
  FILE,
  POLICY,
  projectFolder,
  read,
  removeProjectFolders,
} from './project-folder.ts'
import {
  TRIGGER,
  OLD_CID,
  project,
  changed,
  wallet,
  group,
  key,
  trigger,
  deployed,
  registered,
  plan,
  steps,
  permissions,
  lines,
  payCid,
} from './deployed-shop.ts'

afterAll(removeProjectFolders)

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
