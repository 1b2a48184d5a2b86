import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import {
  documentedProject,
  documentedParts,
  FILE,
  POLICY,
  projectFolder,
  type ProjectJson,
  read,
  removeProjectFolders,
} from './project-folder.ts'

afterAll(removeProjectFolders)

const CID = 'QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWnPbdG'

const error = async (json: ProjectJson | string, environment?: string) =>
  read(projectFolder({ 'svc.json': json }), environment).then(
    () => 'no error',
    (failure: Error) => `${failure.name} ${failure.message}`,
  )

const changed = (change: (json: ProjectJson) => void) => {
  const json = structuredClone(FILE)
  change(json)
  return json
}

describe('svc.json', () => {
  it.each<[string, (json: ProjectJson) => void, string]>([
    ['version', (json) => (json['version'] = 2), 'version: '],
    ['name', (json) => (json['name'] = 'My Shop'), 'name: expected 1 to 40 lower-case letters'],
    ['unknown', (json) => (json['trigers'] = {}), 'trigers: unknown member; remove it'],
    [
      'unknown in a part',
      (json) => (json['triggers'].orders.cron = '* * * * *'),
      'triggers.orders.cron: unknown member',
    ],
    [
      'a name with a space',
      (json) => (json['wallets'] = { 'my wallet': {} }),
      'wallets["my wallet"]: expected a name',
    ],
    [
      'a name that is a member of every object',
      (json) => (json['groups'].payers.wallets = ['constructor']),
      'groups.payers.wallets[0]: no wallet is named constructor; the names are treasury, ops',
    ],
    [
      'an action that is named like another one',
      (json) => (json['actions'][CID] = 'pay.js'),
      `actions.${CID}: a CID as a name would be mistaken for that action`,
    ],
    [
      'an unknown action in a group',
      (json) => (json['groups'].payers.actions = ['pay', 'pya']),
      'groups.payers.actions[1]: no action is named pya; the names are pay',
    ],
    [
      'an unknown group of a key',
      (json) => (json['keys'].runner.execute_in_groups = ['x']),
      'keys.runner.execute_in_groups[0]: no group is named x',
    ],
    [
      'half of a cap',
      (json) => delete json['keys'].runner.spend_window_seconds,
      'keys.runner: spend_cap_cents and spend_window_seconds are given together',
    ],
    [
      'an unknown key of a trigger',
      (json) => (json['triggers'].orders.key = 'x'),
      'triggers.orders.key: no key is named x; the names are runner',
    ],
    [
      'an unknown wallet in params',
      (json) => (json['triggers'].orders.default_params = { a: [{ b: 'x ${wallet:nope}' }] }),
      'triggers.orders.default_params.a[0].b: no wallet is named nope',
    ],
    [
      'an option that no trigger has',
      (json) => (json['triggers'].orders.options = { retries: 3 }),
      'triggers.orders.options.retries: unknown member',
    ],
    [
      'a limit that no key has',
      (json) => (json['keys'].runner.limits = { max_runs: 1 }),
      'keys.runner.limits.max_runs: unknown member',
    ],
    [
      'a limit with another form',
      (json) => (json['keys'].runner.limits = { allowed_ips: ['203.0.113.7/24'] }),
      'keys.runner.limits.allowed_ips[0]: expected a network in CIDR notation',
    ],
    [
      'a restricted key for a trigger',
      (json) => (json['keys'].runner.limits = { allowed_origins: ['https://a.test'] }),
      'keys.runner.limits.allow_triggers: must be true, because the trigger orders uses this key',
    ],
    [
      'a source without a secret',
      (json) => (json['triggers'].orders.options = { source: 'github' }),
      'triggers.orders.webhook_secret: options.source requires it',
    ],
    [
      'a secret without a source',
      (json) => (json['triggers'].orders.webhook_secret = { env: 'A' }),
      'triggers.orders.webhook_secret: requires options.source',
    ],
    [
      'a secret in a variable and a file',
      (json) => {
        json['triggers'].orders.options = { source: 'github' }
        json['triggers'].orders.webhook_secret = [{ env: 'A' }, { env: 'B', file: 'b' }]
      },
      'triggers.orders.webhook_secret[1]: expected either env or file',
    ],
    [
      'an address with a policy',
      (json) => (json['wallets'].treasury.address = `0x${'1'.repeat(40)}`),
      'wallets.treasury.policy: not allowed with address',
    ],
  ])('names the path of a problem: %s', async (_what, change, message) => {
    expect(await error(changed(change))).toContain(`UsageError svc.json: ${message}`)
  })

  it('reports all problems at once', async () => {
    const json = changed(({ triggers, keys }) => {
      triggers.orders.key = 'x'
      keys.runner.execute_in_groups = ['y']
    })
    expect((await error(json)).split('\n')).toHaveLength(3)
  })

  it('rejects a secret in the file, without repeating it', async () => {
    const key = Buffer.alloc(32, 7).toString('base64')
    const message = await error(
      changed(({ triggers }) => (triggers.orders.default_params = { secret: key })),
    )
    expect(message).toContain('triggers.orders.default_params.secret: looks like an API key.')
    expect(message).not.toContain(key)
  })

  it('rejects the secret of a webhook’s sender in the file, without repeating it', async () => {
    const message = await error(
      changed(({ triggers }) => {
        triggers.orders.options = { source: 'github' }
        triggers.orders.webhook_secret = 'canary-secret'
      }),
    )
    expect(message).toContain('triggers.orders.webhook_secret: expected {"env": "…"} or')
    expect(message).not.toContain('canary')
  })

  it('rejects a token, but no ciphertext of which a part looks like one', async () => {
    const part = 'aZ3'.repeat(22).slice(0, 64)
    const withSecret = (secret: string) =>
      error(changed(({ triggers }) => (triggers.orders.default_params = { secret })))
    expect(await withSecret(part)).toContain('default_params.secret: looks like a token.')
    expect(await withSecret(`xY+${part}/z==`)).toBe('no error')
    expect(await withSecret(`0x${'ab'.repeat(32)}`)).toBe('no error')
  })

  it('rejects text that is not JSON, and members that occur twice', async () => {
    expect(await error('{')).toContain('svc.json is not JSON')
    expect(await error('{"version": 1, "name": "a", "name": "b"}')).toContain(
      'the member name occurs twice',
    )
  })

  it('names the file and the path of an invalid policy', async () => {
    const folder = projectFolder({ 'policy.json': { version: 1, rules: [{ name: 'x' }] } })
    await expect(read(folder)).rejects.toThrow('policy.json is not a valid policy:\nrules[0]')
  })

  it('names a source that does not exist', async () => {
    expect(await error(changed(({ actions }) => (actions.pay = 'none.js')))).toContain('none.js')
  })

  it('rejects an action that is too large for its trigger before anything is deployed', async () => {
    const source = `async function main() {}//${'x'.repeat(1024 * 1024)}`
    await expect(read(projectFolder({ 'pay.js': source }))).rejects.toThrow(
      'triggers.orders.action: pay.js has 1048602 bytes; the action of a trigger can have at most 1048576',
    )
  })

  it('builds an action in TypeScript', async () => {
    const json = changed(({ actions }) => (actions.pay = 'pay.ts'))
    const source = 'type N = number\nexport const main = (): N => 1\n'
    const { actions } = await read(projectFolder({ 'svc.json': json, 'pay.ts': source }))
    expect(actions.get('pay')!.cid).toMatch(/^Qm/)
    expect(actions.get('pay')!.code).not.toContain('type N')
    const broken = projectFolder({ 'svc.json': json, 'pay.ts': 'export const main = (' })
    await expect(read(broken)).rejects.toMatchObject({ name: 'ActionBuildError' })
  })
})

describe('docs/projects.md', () => {
  it('sets limits that are accepted', async () => {
    const { runner } = documentedParts('runner')[0]!
    const { limits } = runner
    expect(limits).toMatchObject({ max_concurrent: 4 })
    expect(await error(changed(({ keys }) => (keys.runner.limits = limits)))).toBe('no error')
  })

  it('names the secret of a source in ways that are accepted', async () => {
    const sources = documentedParts('webhook_secret')
    expect(sources).toHaveLength(2)
    for (const source of sources)
      expect(await error(changed(({ triggers }) => Object.assign(triggers.orders, source)))).toBe(
        'no error',
      )
  })

  it('shows a valid file, with an environment', async () => {
    const file = documentedProject()
    const folder = projectFolder({ 'svc.json': file, 'policy.json': POLICY })
    mkdirSync(join(folder, 'src'))
    writeFileSync(join(folder, 'src/confirm.ts'), 'export async function main() {}')
    expect((await read(folder)).title).toBe('shop')
    expect((await read(folder, 'staging')).triggers.get('orders')).toMatchObject({
      options: { dedup: true },
      max_runs_per_minute: 10,
    })
  })
})

describe('environments', () => {
  const staged = changed((json) => {
    json['environments'] = {
      staging: {
        base_url: 'https://staging.example.com',
        wallets: { treasury: { policy: 'loose.json' }, ops: null },
        triggers: { orders: { max_runs_per_minute: 5 } },
      },
      other: {},
    }
  })
  const folder = projectFolder({
    'svc.json': staged,
    'loose.json': {
      version: 1,
      rules: [{ name: 'any', effect: 'allow', kind: 'message', messages: 'any' }],
    },
  })

  it('replace members of parts, and remove parts with null', async () => {
    const [plain, staging] = await Promise.all([read(folder), read(folder, 'staging')])
    expect(plain).toMatchObject({ title: 'shop', urls: {} })
    expect(staging).toMatchObject({
      title: 'shop@staging',
      urls: { base_url: 'https://staging.example.com' },
    })
    expect([...staging.wallets.keys()]).toEqual(['treasury'])
    expect(staging.wallets.get('treasury')!.policy!.file).toBe('loose.json')
    expect(staging.triggers.get('orders')).toMatchObject({
      kind: 'webhook',
      default_params: { wallet: '${wallet:treasury}' },
      max_runs_per_minute: 5,
    })
    expect(plain.triggers.get('orders')!.max_runs_per_minute).toBe(60)
    expect(plain.wallets.has('ops')).toBe(true)
  })

  it.each<[string, (json: ProjectJson) => void, string]>([
    [
      'an unknown environment',
      (json) => delete json['environments'].staging,
      'svc.json: environments: no environment is named staging; the names are other',
    ],
    [
      'an unknown member',
      (json) => (json['environments'].staging.url = 'x'),
      'svc.json: environments.staging.url: unknown member',
    ],
    [
      'an invalid change',
      (json) => (json['environments'].staging.triggers.orders.max_runs_per_minute = 0),
      'svc.json: environments.staging.triggers.orders.max_runs_per_minute: ',
    ],
    [
      'a URL that is none',
      (json) => (json['environments'].staging.base_url = 'staging'),
      'svc.json: environments.staging.base_url: ',
    ],
    [
      'a removed part that another one needs',
      (json) => (json['environments'].staging.wallets.treasury = null),
      'svc.json with the environment staging:\ngroups.payers.wallets[0]: no wallet is named treasury',
    ],
  ])('name the path of a problem: %s', async (_what, change, message) => {
    const json = structuredClone(staged)
    change(json)
    expect(await error(json, 'staging')).toContain(message)
  })
})
