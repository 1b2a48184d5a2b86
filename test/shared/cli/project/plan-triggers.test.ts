import { afterAll, describe, expect, it } from 'vitest'
import { type ProjectJson, removeProjectFolders } from './project-folder.ts'
import {
  ADDRESS,
  TRIGGER,
  project,
  changed,
  trigger,
  deployed,
  plan,
  steps,
  lines,
} from './deployed-shop.ts'

afterAll(removeProjectFolders)

const withSource = (webhook_secret: object, files: Record<string, string> = {}) =>
  changed(({ triggers }) => {
    triggers.orders.options = { source: 'github' }
    triggers.orders.webhook_secret = webhook_secret
  }, files)

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

  it('keep a source that their owner set, because its secret would be removed with it', async () => {
    const found = trigger({ options: { source: 'github' } })
    expect(steps(plan(project, deployed({ triggers: [found] })))).toEqual([])
    const limited = await changed(({ triggers }) => (triggers.orders.options = { dedup: true }))
    expect(plan(limited, deployed({ triggers: [found] })).changes[0]!.operation).toHaveProperty(
      'fields',
      { options: { dedup: true, source: 'github' } },
    )
  })

  it('get the secret of their source once, and again when it changes', async () => {
    const sourced = await withSource(
      { file: 'github-secret' },
      { 'github-secret': 'first secret\n' },
    )
    const created = plan(sourced, deployed({ triggers: [] }))
    expect(created.changes[0]!.operation).toMatchObject({
      do: 'create_trigger',
      fields: { options: { source: 'github' } },
      secret: true,
    })
    expect(JSON.stringify(created)).not.toContain('first secret')
    expect(lines(created)).toContain('gets the webhook secret from the file github-secret')
    expect(lines(created)).toContain('anyone who has the sender’s secret and knows')
    const { digest } = sourced.webhookSecrets.get('orders')!.held!
    const found = trigger({ options: { source: 'github' } })
    const known = { triggers: [found], triggerSecrets: new Map([[TRIGGER, digest]]) }
    expect(steps(plan(sourced, deployed(known)))).toEqual([])
    const rotated = await withSource(
      { file: 'github-secret' },
      { 'github-secret': 'second secret' },
    )
    const update = plan(rotated, deployed(known)).changes
    expect(update.map(({ operation }) => operation)).toEqual([
      { do: 'update_trigger', name: 'orders', id: TRIGGER, fields: {}, secret: true },
    ])
    const other = { ...known, triggers: [trigger({ options: { source: 'gitlab' } })] }
    expect(plan(sourced, deployed(other)).changes[0]!.operation).toMatchObject({
      fields: { options: { source: 'github' } },
      secret: true,
    })
  })

  it('keep the secret of their source on a machine that does not have it, and are not created there', async () => {
    const sourced = await withSource({ env: 'GITHUB_WEBHOOK_SECRET' })
    const found = trigger({ options: { source: 'github' } })
    expect(plan(sourced, deployed({ triggers: [found] }))).toEqual({
      changes: [],
      notes: [
        'the trigger shop/orders keeps its webhook secret: the variable GITHUB_WEBHOOK_SECRET is missing or empty here',
      ],
    })
    for (const triggers of [[], [trigger()], [trigger({ options: { source: 'gitlab' } })]])
      expect(() => plan(sourced, deployed({ triggers }))).toThrow(
        'triggers.orders.webhook_secret: the variable GITHUB_WEBHOOK_SECRET is missing or empty',
      )
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
