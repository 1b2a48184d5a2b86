import { afterAll, describe, expect, it } from 'vitest'
import { removeProjectFolders } from './project-folder.ts'
import { KEY, project, changed, key, deployed, plan, steps, permissions } from './deployed-shop.ts'

afterAll(removeProjectFolders)

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
