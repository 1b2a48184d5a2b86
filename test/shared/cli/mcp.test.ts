import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { buildAction } from '../../../shared/build/build-action.ts'
import { actionCid } from '../../../shared/cid/compute-cid.ts'
import { MCP_MESSAGE_MAX_BYTES } from '../../../shared/limits.ts'
import { GOOD_TOKEN, startTriggerApi, type TriggerApi } from '../../doubles/trigger-api.ts'
import type { Surroundings } from './command-line.ts'
import { called, refusal } from './mcp-calls.ts'
import { type Connection, connected } from './mcp-connection.ts'

const USAGE_KEY = `${'u'.repeat(42)}A=`
const OTHER_KEY = `${'v'.repeat(42)}A=`
const ACTION = 'function main({ event }) { return { echo: event } }'
const WEBHOOK_SECRET = 'secret of the sender'
const SECRET = '-----BEGIN OPENSSH PRIVATE KEY-----'

let api: TriggerApi
let home: string
/** Working directory of the server. */
let folder: string
let open: Connection[] = []

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'svc-mcp-'))
  folder = join(home, 'project')
  mkdirSync(join(folder, 'actions'), { recursive: true })
  mkdirSync(join(folder, '.git'))
  writeFileSync(join(home, 'id_rsa'), SECRET)
  writeFileSync(join(home, 'id_rsa.js'), SECRET)
  writeFileSync(join(home, 'key'), USAGE_KEY)
  writeFileSync(join(folder, '.git', 'config.js'), SECRET)
  writeFileSync(join(folder, '.env.js'), SECRET)
  writeFileSync(join(folder, 'notes.txt'), SECRET)
  writeFileSync(join(folder, 'actions', 'echo.js'), ACTION)
  writeFileSync(join(folder, 'usage-key'), `${OTHER_KEY}\n`)
  // The folder is a part of a larger project.
  writeFileSync(join(home, 'package.json'), '{}')
  writeFileSync(join(home, 'key.json'), JSON.stringify(SECRET))
  writeFileSync(join(folder, '.env.json'), JSON.stringify(SECRET))
  symlinkSync(join(home, 'key.json'), join(folder, 'linked.json'))
  symlinkSync(join(home, 'id_rsa'), join(folder, 'linked.js'))
  writeFileSync(join(folder, 'github-webhook.txt'), `${WEBHOOK_SECRET}\n`)
  writeFileSync(join(folder, '.webhook'), SECRET)
  writeFileSync(join(home, 'webhook.txt'), SECRET)
  writeFileSync(join(folder, 'long-webhook.txt'), 'x'.repeat(5_000))
  symlinkSync(join(folder, 'notes.txt'), join(folder, 'webhook-link'))
  symlinkSync(home, join(folder, 'up'))
  symlinkSync(join(folder, 'actions', 'echo.js'), join(folder, 'inside.js'))
})
afterAll(() => rmSync(home, { recursive: true }))

beforeEach(async () => {
  api = await startTriggerApi()
  return async () => {
    await Promise.all(open.map(({ end }) => end()))
    open = []
    await api.close()
  }
})

async function mcp(environment: Record<string, string> = {}, around: Surroundings = {}) {
  const connection = await connected({
    folder,
    ...around,
    environment: {
      SVC_TRIGGERS_URL: api.url,
      SVC_BASE_URL: api.url,
      SVC_TOKEN: GOOD_TOKEN,
      SVC_USAGE_KEY: USAGE_KEY,
      SVC_CONFIG_DIR: join(home, 'config'),
      ...environment,
    },
  })
  open.push(connection)
  return connection
}

const HOOK = { name: 'hook', kind: 'webhook' }

describe('svc mcp', () => {
  it('offers tools with schemas, hints, and descriptions of tools and fields', async () => {
    const { client } = await mcp()
    const { tools } = await client.listTools()
    const create = tools.find(({ name }) => name === 'create_trigger')!
    const fields = create.inputSchema.properties as Record<string, { description?: string }>
    for (const field of Object.values(fields).filter((one) => !('enum' in one)))
      expect(field.description).toBeTruthy()
    for (const tool of tools) {
      expect(tool.description!.length).toBeGreaterThan(40)
      expect(tool.inputSchema.type).toBe('object')
      expect(tool.outputSchema!.type).toBe('object')
      expect(tool.annotations!.readOnlyHint).toBeTypeOf('boolean')
    }
    expect(tools.map(({ name }) => name).toSorted()).toEqual([
      'add_alert_trigger',
      'authorize',
      'cancel_replay',
      'cancel_run',
      'cancel_transaction',
      'compute_action_cid',
      'create_action',
      'create_trigger',
      'create_wallet',
      'delete_alert_channel',
      'delete_trigger',
      'get_action',
      'get_action_version',
      'get_replay',
      'get_run',
      'get_trigger',
      'get_wallet_policy',
      'list_action_versions',
      'list_actions',
      'list_alert_channels',
      'list_all_runs',
      'list_audit_log',
      'list_chains',
      'list_error_groups',
      'list_failed_runs',
      'list_incidents',
      'list_runs',
      'list_transactions',
      'list_trigger_changes',
      'list_triggers',
      'list_usage_keys',
      'mute_alerts',
      'preview_replay',
      'preview_trigger',
      'purge_trigger',
      'replay_run',
      'save_action_version',
      'send_transaction',
      'set_alert_thresholds',
      'simulate_signature',
      'speed_up_transaction',
      'start_replay',
      'test_alert_channel',
      'test_trigger',
      'update_trigger',
      'use_action_version',
      'wait_for_run',
      'whoami',
    ])
  })

  it('offers no tool that accepts a usage key, an account key or a token', async () => {
    const { client } = await mcp()
    const { tools } = await client.listTools()
    const fields = tools.flatMap(({ inputSchema }) => Object.keys(inputSchema.properties ?? {}))
    expect(fields.filter((name) => /key|token|secret/.test(name)).toSorted()).toEqual([
      'idempotency_key',
      ...Array.from({ length: 9 }, () => 'usage_key_file'),
      ...Array.from({ length: 9 }, () => 'usage_key_variable'),
      'webhook_secret_file',
      'webhook_secret_file',
    ])
  })

  it('offers no tool that changes a policy: an injected agent cannot loosen one', async () => {
    const { client } = await mcp()
    const { tools } = await client.listTools()
    const ofPolicies = tools.filter(({ inputSchema }) =>
      /polic/.test(JSON.stringify(inputSchema.properties)),
    )
    expect(ofPolicies.map(({ name }) => name)).toEqual(['create_wallet', 'simulate_signature'])
  })

  it('marks only tools that delete, change, end or spend something as destructive, and only queries as read-only', async () => {
    const { client } = await mcp()
    const { tools } = await client.listTools()
    const withHint = (hint: 'destructiveHint' | 'readOnlyHint') =>
      tools.filter(({ annotations }) => annotations![hint]).map(({ name }) => name)
    expect(withHint('destructiveHint').toSorted()).toEqual([
      'cancel_replay',
      'cancel_run',
      'cancel_transaction',
      'delete_alert_channel',
      'delete_trigger',
      'purge_trigger',
      'send_transaction',
      'speed_up_transaction',
      'update_trigger',
    ])
    expect(
      withHint('readOnlyHint').every((name) =>
        /^(list|get|preview|wait|who|compute|simulate)/.test(name),
      ),
    ).toBe(true)
  })

  it("offers the deployment's guide as a resource under its own URL", async () => {
    const { client } = await mcp()
    const { resources } = await client.listResources()
    expect(resources.map(({ uri }) => uri)).toEqual([`${api.url}/SKILL.md`])
    const { contents } = await client.readResource({ uri: `${api.url}/SKILL.md` })
    expect(contents).toMatchObject([{ mimeType: 'text/markdown', text: '# The guide' }])
  })
})

describe('the tools', () => {
  it('create, show, change, list and delete a trigger', async () => {
    const { client } = await mcp()
    const made = await called(client, 'create_trigger', { ...HOOK, action_code: ACTION })
    expect(made).toMatchObject({ name: 'hook', warnings: [expect.any(String)] })
    const trigger_id = made.id
    const changed = await called(client, 'update_trigger', { trigger_id, enabled: false })
    expect(changed.enabled).toBe(false)
    expect((await called(client, 'get_trigger', { trigger_id })).action_code).toBe(ACTION)
    expect((await called(client, 'list_triggers')).triggers).toHaveLength(1)
    expect(await called(client, 'delete_trigger', { trigger_id })).toEqual({ deleted: trigger_id })
    expect((await refusal(client, 'get_trigger', { trigger_id })).error).toBe('not_found')
  })

  it('create a trigger with the usage key of another trigger', async () => {
    const { client } = await mcp()
    const fields = { ...HOOK, action_code: ACTION }
    const { id } = await called(client, 'create_trigger', fields)
    await called(client, 'create_trigger', { ...fields, permissions_of: id })
    const sent = JSON.parse(api.received.at(-1)!.body)
    expect(sent).toMatchObject({ usage_key_of: id })
    expect(sent).not.toHaveProperty('usage_api_key')
    const both = { ...fields, permissions_of: id, usage_key_variable: 'SVC_USAGE_KEY' }
    expect((await refusal(client, 'create_trigger', both)).error).toBe('bad_arguments')
  })

  it('send the secret of a webhook’s sender from a file, without showing it', async () => {
    const { client } = await mcp()
    const source = { options: { source: 'github' }, webhook_secret_file: 'github-webhook.txt' }
    const fields = { ...HOOK, ...source, action_code: ACTION }
    const made = await called(client, 'create_trigger', fields)
    const sent = () => JSON.parse(api.received.at(-1)!.body)
    expect(sent()).toMatchObject({ options: source.options, webhook_secret: WEBHOOK_SECRET })
    expect(sent()).not.toHaveProperty('webhook_secret_file')
    const { webhook_secret_file } = source
    const changes = { trigger_id: made.id, webhook_secret_file }
    const changed = await called(client, 'update_trigger', changes)
    expect(sent()).toEqual({ webhook_secret: WEBHOOK_SECRET })
    expect(JSON.stringify([made, changed])).not.toContain(WEBHOOK_SECRET)
  })

  it('read the account only with its account key', async () => {
    const { client } = await mcp()
    for (const tool of ['list_audit_log', 'list_usage_keys'])
      expect((await refusal(client, tool)).error).toBe('no_credential')
    expect(api.received).toEqual([])
  })

  it('test a trigger, wait for the run, replay and cancel it', async () => {
    const { client } = await mcp()
    const made = await called(client, 'create_trigger', { ...HOOK, action_code: ACTION })
    const trigger_id = made.id
    const { run_id } = await called(client, 'test_trigger', { trigger_id, event: { a: 1 } })
    const run = await called(client, 'wait_for_run', { run_id, wait: 1 })
    expect(run).toMatchObject({ status: 'success', response: { echo: { a: 1 } } })
    await called(client, 'replay_run', { run_id })
    const { runs } = await called(client, 'list_runs', {
      trigger_id,
      since: '2026-01-01T00:00:00Z',
      param: 'event.a=1',
    })
    expect(api.received.at(-1)!.url).toContain('param=event.a%3D1')
    expect(runs.map((one: any) => one.replay_of)).toEqual([run_id, null])
    expect(runs[0]).not.toHaveProperty('input')
    const waiting = await called(client, 'test_trigger', { trigger_id, params: { wait: 1 } })
    expect(await called(client, 'cancel_run', { run_id: waiting.run_id })).toMatchObject({
      status: 'failed',
    })
    expect(await called(client, 'purge_trigger', { trigger_id })).toEqual({ cancelled: 3 })
  })

  it('preview a schedule, list the chains, and compute the CID of an action', async () => {
    const { client } = await mcp()
    const schedule = { kind: 'schedule', config: { cron: '*/5 * * * *' } }
    expect((await called(client, 'preview_trigger', schedule)).next).toHaveLength(2)
    expect((await called(client, 'list_chains')).chains).toHaveLength(1)
    const { action_cid } = await called(client, 'compute_action_cid', {
      action_file: 'actions/echo.js',
    })
    expect(action_cid).toBe(await actionCid(ACTION))
  })

  it('omit large fields of a run, and list them', async () => {
    const { client } = await mcp()
    const { id } = await called(client, 'create_trigger', { ...HOOK, action_code: ACTION })
    const run = api.run(api.triggers.get(id)!, 'x'.repeat(100_000))
    const shown = await called(client, 'get_run', { run_id: run.id })
    expect(shown).toMatchObject({ input: null, response: null, omitted: ['input', 'response'] })
  })

  it('fail with the error code and the fix of the service', async () => {
    const { client } = await mcp()
    const refused = await refusal(client, 'get_trigger', { trigger_id: 'x'.repeat(32) })
    expect(refused).toEqual({
      error: 'not_found',
      message: 'refused: not_found',
      fix: 'what to do about not_found',
      status: 404,
      request_id: 'request-1',
    })
  })

  it.each<[string, string, object, RegExp]>([
    ['a field that there is not', 'create_trigger', { ...HOOK, action_code: 'x', code: 1 }, /code/],
    [
      'a cap of another type',
      'create_trigger',
      { ...HOOK, action_code: 'x', max_queued_runs: 'a' },
      /max_queued_runs/,
    ],
    ['no source', 'create_trigger', HOOK, /no source/],
    ['two sources', 'create_trigger', { ...HOOK, action_code: 'x', action_file: 'y.js' }, /both/],
    [
      'neither params nor event',
      'test_trigger',
      { trigger_id: 'x'.repeat(32) },
      /either params or event/,
    ],
    ['a wait of an hour', 'wait_for_run', { run_id: 'x', wait: 3600 }, /wait/],
    ['another kind', 'update_trigger', { trigger_id: 'x'.repeat(32), kind: 'schedule' }, /kind/],
  ])('reject %s by name, and send nothing', async (_, tool, args, message) => {
    const { client } = await mcp()
    const refused = await refusal(client, tool, args)
    expect(refused).toMatchObject({
      error: 'bad_arguments',
      message: expect.stringMatching(message),
    })
    expect(api.received).toEqual([])
  })
})

describe('prompt injection: a model told to send a secret', () => {
  it.each([
    ['above the folder', '../id_rsa.js', 'outside_the_folder'],
    ['by its whole path', '/etc/passwd', 'outside_the_folder'],
    ['that is not there, above the folder', '../nothing.js', 'outside_the_folder'],
    ['behind a symbolic link', 'linked.js', 'outside_the_folder'],
    ['through a linked folder', 'up/id_rsa.js', 'outside_the_folder'],
    ['that is hidden', '.env.js', 'hidden_file'],
    ['in a hidden folder', '.git/config.js', 'hidden_file'],
    ['that is no JavaScript', 'notes.txt', 'no_source'],
    ['that is a folder', 'actions', 'no_source'],
    ['with a zero byte in its name', 'echo.js\0.txt', 'no_such_file'],
  ])('cannot send a file %s as an action', async (_, action_file, error) => {
    const { client } = await mcp()
    expect((await refusal(client, 'create_trigger', { ...HOOK, action_file })).error).toBe(error)
    expect(api.received).toEqual([])
  })

  it.each([
    ['with another name', 'notes.txt', 'no_webhook_secret'],
    ['that is an action', 'actions/echo.js', 'no_webhook_secret'],
    ['behind a symbolic link of that name', 'webhook-link', 'no_webhook_secret'],
    ['above the folder', '../webhook.txt', 'outside_the_folder'],
    ['that is hidden', '.webhook', 'hidden_file'],
    ['in a hidden folder', '.git/config.js', 'hidden_file'],
    ['that is too large', 'long-webhook.txt', 'too_large'],
    ['that is missing', 'webhook', 'no_such_file'],
  ])('cannot send a file %s as a webhook secret', async (_, webhook_secret_file, error) => {
    const { client } = await mcp()
    const fields = { ...HOOK, action_code: ACTION, webhook_secret_file }
    expect((await refusal(client, 'create_trigger', fields)).error).toBe(error)
    const changes = { trigger_id: 'x'.repeat(32), webhook_secret_file }
    expect((await refusal(client, 'update_trigger', changes)).error).toBe(error)
    expect(api.received).toEqual([])
  })

  it.each([
    ['above the folder', `import key from '../key.json'`, 'outside_the_folder'],
    ['behind a symbolic link', `import key from './linked.json'`, 'outside_the_folder'],
    ['that is hidden', `import key from './.env.json'`, 'hidden_file'],
    ['that is missing', `import key from './missing.json'`, 'build_failed'],
  ])('cannot send a file %s by importing it', async (_, imports, error) => {
    const { client } = await mcp()
    writeFileSync(join(folder, 'imports.ts'), `${imports}\nexport const main = () => key`)
    const refused = await refusal(client, 'create_trigger', { ...HOOK, action_file: 'imports.ts' })
    expect(refused.error).toBe(error)
    expect(JSON.stringify(refused)).not.toContain(SECRET)
    expect(api.received).toEqual([])
  })

  it('can send a TypeScript file of the folder, which is built', async () => {
    const { client } = await mcp()
    writeFileSync(join(folder, 'typed.ts'), 'export const main = (a: number): number => a')
    const { structuredContent } = await client.callTool({
      name: 'compute_action_cid',
      arguments: { action_file: 'typed.ts' },
    })
    const { code } = await buildAction(join(folder, 'typed.ts'))
    expect(structuredContent).toEqual({ action_cid: await actionCid(code) })
  })

  it('returns the warnings of a build, before those of the service', async () => {
    const { client } = await mcp()
    writeFileSync(join(folder, 'warned.ts'), 'export const main = () => process.pid')
    const { warnings } = await buildAction(join(folder, 'warned.ts'))
    expect(warnings).toEqual([expect.stringContaining('process')])
    const action_file = 'warned.ts'
    const computed = await called(client, 'compute_action_cid', { action_file })
    expect(computed.warnings).toEqual(warnings)
    const created = await called(client, 'create_trigger', { ...HOOK, action_file })
    expect(created.warnings).toEqual([...warnings, 'the key may not run this action now'])
    const changed = await called(client, 'update_trigger', { trigger_id: created.id, action_file })
    expect(changed.warnings).toEqual(expect.arrayContaining([...warnings]))
  })

  it.each([
    ['a file that holds no key', { usage_key_file: 'notes.txt' }, 'no_usage_key'],
    ['a key above the folder', { usage_key_file: '../key' }, 'outside_the_folder'],
    ['a variable of another name', { usage_key_variable: 'SVC_API_KEY' }, 'bad_arguments'],
    ['a variable that holds no key', { usage_key_variable: 'SVC_USAGE_KEY_CLOUD' }, 'no_usage_key'],
  ])('cannot send %s as a usage key', async (_, named, error) => {
    const { client } = await mcp({ SVC_API_KEY: OTHER_KEY, SVC_USAGE_KEY_CLOUD: SECRET })
    const refused = await refusal(client, 'create_trigger', {
      ...HOOK,
      action_code: ACTION,
      ...named,
    })
    expect(refused.error).toBe(error)
    expect(JSON.stringify(refused)).not.toContain(SECRET)
    expect(api.received).toEqual([])
  })

  it('cannot send any file if the server was started in /, as some clients do', async () => {
    const { client } = await mcp({}, { folder: '/' })
    for (const named of [{ action_file: join(home, 'id_rsa.js') }, { action_file: 'no.js' }]) {
      const refused = await refusal(client, 'create_trigger', { ...HOOK, ...named })
      expect(refused.error).toBe('no_project_folder')
    }
    expect(api.received).toEqual([])
  })

  it('can send a file behind a link within the folder', async () => {
    const { client } = await mcp()
    await called(client, 'create_trigger', { ...HOOK, action_file: 'inside.js' })
    expect([...api.triggers.values()][0]!.action_code).toBe(ACTION)
  })
})

it('sends a usage key from a file, variable or the environment to the service, and never returns it', async () => {
  const connection = await mcp({ SVC_USAGE_KEY_SECOND: OTHER_KEY })
  const { client } = connection
  const trigger = { ...HOOK, action_code: ACTION }
  const { id } = await called(client, 'create_trigger', trigger)
  await called(client, 'create_trigger', { ...trigger, usage_key_file: 'usage-key' })
  const rekeyed = { trigger_id: id, usage_key_variable: 'SVC_USAGE_KEY_SECOND' }
  await called(client, 'update_trigger', rekeyed)
  await called(client, 'update_trigger', { trigger_id: id, enabled: false })
  expect(api.keys).toEqual([USAGE_KEY, OTHER_KEY, OTHER_KEY])
  const { out, err } = await connection.end()
  for (const key of [USAGE_KEY, OTHER_KEY, GOOD_TOKEN]) expect(out + err).not.toContain(key)
})

describe('the identity of the server', () => {
  const NOBODY = { SVC_TOKEN: '' }

  it('every tool of the service explains how to get a token if there is none', async () => {
    const { client } = await mcp(NOBODY)
    for (const name of ['whoami', 'list_triggers', 'list_chains'])
      expect(await refusal(client, name)).toMatchObject({
        error: 'no_token',
        fix: expect.stringContaining('authorize'),
      })
  })

  it('authorize returns the codes to compare and type, whoami confirms, and no response contains the token', async () => {
    const connection = await mcp({ ...NOBODY, SVC_CONFIG_DIR: join(home, 'authorized') })
    const { client } = connection
    const asked = await called(client, 'authorize', { label: 'my agent' })
    const sent = JSON.parse(api.received.at(-1)!.body)
    expect(sent.label).toBe('my agent')
    expect(asked).toMatchObject({
      authorize_url: `${api.url}/agent/authorize?challenge=${sent.challenge}`,
      user_code: 'ABCD-EFGH',
      comparison_code: expect.stringMatching(/^[0-9A-Z]{4}-[0-9A-Z]{4}$/),
    })
    expect((await refusal(client, 'whoami')).error).toBe('not_approved_yet')
    expect((await refusal(client, 'list_triggers')).error).toBe('no_token')
    api.approve()
    expect((await called(client, 'whoami')).email).toBe('ada@example.com')
    expect(await called(client, 'list_triggers')).toEqual({ triggers: [] })
    const kept = readFileSync(join(home, 'authorized', 'credentials.json'), 'utf8')
    const { token } = JSON.parse(kept).edges[api.url]
    const { out, err } = await connection.end()
    expect(out + err).not.toContain(token)
    const again = await mcp({ ...NOBODY, SVC_CONFIG_DIR: join(home, 'authorized') })
    expect((await called(again.client, 'whoami')).email).toBe('ada@example.com')
  })

  it('token fixation: does not request another token while it has a valid one', async () => {
    const { client } = await mcp()
    expect((await refusal(client, 'authorize')).error).toBe('already_authorized')
    expect(api.received.some(({ url }) => url === '/agent/requests')).toBe(false)
  })

  it('requests a new token after a revocation', async () => {
    const { client } = await mcp()
    api.revoke()
    expect((await refusal(client, 'whoami')).error).toBe('unauthorized')
    expect((await called(client, 'authorize')).user_code).toBe('ABCD-EFGH')
  })
})

describe('the protocol', () => {
  it.each<[string, string | Buffer]>([
    ['no JSON', '{"jsonrpc": \n'],
    ['an empty line', '\n'],
    ['JSON that is no message', '[1, {"a": null}, "x"]\n'],
    ['a batch', '[{"jsonrpc":"2.0","id":1,"method":"tools/list"}]\n'],
    ['an answer to nothing', '{"jsonrpc":"2.0","id":77,"result":{}}\n'],
    ['an unknown method', '{"jsonrpc":"2.0","id":"a","method":"sudo"}\n'],
    ['an unknown notification', '{"jsonrpc":"2.0","method":"notifications/x"}\n'],
    [
      'a tool that there is not',
      '{"jsonrpc":"2.0","id":"b","method":"tools/call","params":{"name":"rm"}}\n',
    ],
    ['params of another type', '{"jsonrpc":"2.0","id":"c","method":"tools/call","params":7}\n'],
    ['bytes that are no UTF-8', Buffer.from([0xff, 0xfe, 0x00, 0x0a])],
    ['JSON that is deep', `${'['.repeat(20_000)}${']'.repeat(20_000)}\n`],
    [
      'a prototype',
      '{"jsonrpc":"2.0","id":"d","method":"tools/call","params":{"name":"__proto__"}}\n',
    ],
    ['a line that is too long', `${'a'.repeat(MCP_MESSAGE_MAX_BYTES + 1)}\n`],
  ])('keeps the server running after %s', async (_, line) => {
    const { client, write } = await mcp()
    write(line)
    expect((await called(client, 'whoami')).email).toBe('ada@example.com')
  })

  it('exits with 0 at the end of its input, and writes only messages to its output', async () => {
    const connection = await mcp()
    connection.write('rubbish\n')
    await called(connection.client, 'whoami')
    console.log('a library that writes to the console')
    const { code, out } = await connection.end()
    expect(code).toBe(0)
    for (const line of out.trimEnd().split('\n'))
      expect(JSON.parse(line)).toMatchObject({ jsonrpc: '2.0' })
  })

  it('reassembles a message in many pieces', async () => {
    const connection = await mcp()
    const line = '{"jsonrpc":"2.0","id":"pieces","method":"tools/list"}\n'
    for (const character of line) connection.write(character)
    await called(connection.client, 'whoami')
    expect((await connection.end()).out).toContain('"id":"pieces"')
  })
})
