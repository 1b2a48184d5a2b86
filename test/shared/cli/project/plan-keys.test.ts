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

  it('get the limits of the file, and lose those that it no longer lists', async () => {
    const limits = {
      expires_at: '2030-01-01T01:00:00+01:00',
      max_concurrent: 4,
      allowed_ips: ['203.0.113.0/24', '198.51.100.0/24'],
      allow_triggers: true,
    }
    const limited = await changed(({ keys }) => (keys.runner.limits = limits))
    const created = plan(limited, deployed({ keys: [], heldKeys: new Set() })).changes[0]!
    expect(created.operation).toMatchObject({ key: { limits: { set: limits, remove: [] } } })
    expect(created.details).toContain('max_concurrent: 4')
    const found = {
      ...limits,
      expires_at: '2030-01-01T00:00:00.000Z',
      allowed_ips: limits.allowed_ips.toReversed(),
    }
    expect(steps(plan(limited, deployed({ keys: [key(found)] })))).toEqual([])
    const other = { ...found, max_concurrent: 8, max_requests_per_minute: 60 }
    const made = plan(limited, deployed({ keys: [key(other)] }))
    expect(made.changes[0]!.operation).toEqual({
      do: 'update_key',
      name: 'runner',
      hash: KEY,
      key: { limits: { set: { max_concurrent: 4 }, remove: ['max_requests_per_minute'] } },
    })
    expect(permissions(made)).toEqual([
      'the key runner may be used more: max_requests_per_minute: 60 becomes none',
    ])
  })

  it('keep limits that were set by hand, unless the file has limits', async () => {
    const found = key({ max_concurrent: 8, allow_triggers: false })
    expect(steps(plan(project, deployed({ keys: [found] })))).toEqual([])
    const none = await changed(({ keys }) => (keys.runner.limits = {}))
    expect(plan(none, deployed({ keys: [found] })).changes[0]!.operation).toMatchObject({
      key: { limits: { set: {}, remove: ['max_concurrent'] } },
    })
  })

  it.each([
    [{ max_concurrent: 4 }, { max_concurrent: 5 }, true],
    [{ max_concurrent: 4 }, { max_concurrent: 3 }, false],
    [{ expires_at: '2030-01-01T00:00:00Z' }, { expires_at: '2031-01-01T00:00:00Z' }, true],
    [{ expires_at: '2030-01-01T00:00:00Z' }, { expires_at: '2029-01-01T00:00:00Z' }, false],
    [{ allowed_origins: ['https://a.test'] }, { allowed_origins: ['https://b.test'] }, true],
    [
      { allowed_origins: ['https://a.test', 'https://b.test'] },
      { allowed_origins: ['https://b.test'] },
      false,
    ],
    [{ max_concurrent: null }, { max_concurrent: 9 }, false],
    [{ allow_triggers: null }, { allow_triggers: true }, true],
  ])('say that limits are loosened: from %j to %j', async (before, limits, isLooser) => {
    const idle = await changed(({ keys, triggers }) => {
      keys.runner.limits = limits
      delete triggers.orders
    })
    const made = plan(idle, deployed({ keys: [key(before)] }))
    expect(steps(made)).toEqual(['update_key'])
    expect(permissions(made)).toHaveLength(isLooser ? 1 : 0)
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
