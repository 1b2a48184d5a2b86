import type { Client } from '@modelcontextprotocol/client'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  createTrigger,
  edge,
  fire,
  type Owner,
  post,
  script,
  seen,
  slow,
  someOwner,
  success,
} from '../app.ts'
import { called, refusal } from '../../shared/cli/mcp-calls.ts'
import { connect, LIST_TOOLS, postMessage } from './remote-client.ts'

let owner: Owner
beforeAll(async () => {
  owner = await someOwner()
})

describe.each(['auto', 'legacy'] as const)('the remote MCP server, protocol %s', (mode) => {
  it('lists, changes and deletes triggers of the token’s owner', async () => {
    const client = await connect(owner.token, mode)
    const { id } = await createTrigger(owner, { name: 'remote' })
    expect((await called(client, 'whoami')).id).toBe(owner.id)
    const { triggers } = await called(client, 'list_triggers')
    expect(triggers.map((one: { id: string }) => one.id)).toContain(id)
    const changed = await called(client, 'update_trigger', { trigger_id: id, enabled: false })
    expect(changed.enabled).toBe(false)
    expect((await called(client, 'get_trigger', { trigger_id: id })).action_code).toBe(
      changed.action_code,
    )
    expect(await called(client, 'delete_trigger', { trigger_id: id })).toEqual({ deleted: id })
    expect((await refusal(client, 'get_trigger', { trigger_id: id })).status).toBe(404)
    await client.close()
  })

  it('creates a trigger with the usage key of another trigger', async () => {
    const client = await connect(owner.token, mode)
    const { id } = await createTrigger(owner, { usage_api_key: 'usage-of-the-first' })
    const action_code = script(success())
    const fields = { name: 'by a model', kind: 'webhook', action_code, permissions_of: id }
    const created = await called(client, 'create_trigger', fields)
    const run_id = await fire(created.id)
    expect(await called(client, 'wait_for_run', { run_id })).toMatchObject({ status: 'success' })
    expect(await seen(run_id)).toMatchObject([{ usageKey: 'usage-of-the-first' }])
    const { permissions_of: _none, ...keyless } = fields
    expect((await refusal(client, 'create_trigger', keyless)).error).toBe('bad_arguments')
    await client.close()
  })

  it('waits for a run', async () => {
    const client = await connect(owner.token, mode)
    const { id } = await createTrigger(owner, { action_code: script(slow(100)) })
    const run_id = await fire(id)
    const run = await called(client, 'wait_for_run', { run_id })
    expect(run).toMatchObject({ id: run_id, status: 'success', response: 'slow' })
    await client.close()
  })

  it('serves the guide as a resource', async () => {
    const client = await connect(owner.token, mode)
    const { contents } = await client.readResource({ uri: 'https://edge.test/SKILL.md' })
    expect(JSON.stringify(contents)).toContain('https://edge.test')
    await client.close()
  })
})

describe('tools of the remote MCP server', () => {
  const toolsOf = async (client: Client) => (await client.listTools()).tools

  it('are those that need no files and no usage keys', async () => {
    const client = await connect(owner.token)
    const names = (await toolsOf(client)).map(({ name }) => name)
    expect(names).toEqual(
      expect.arrayContaining(['whoami', 'create_trigger', 'update_trigger', 'start_replay']),
    )
    for (const local of ['authorize', 'send_transaction']) expect(names).not.toContain(local)
    await client.close()
  })

  it('have no field for a file, a variable or a credential', async () => {
    const client = await connect(owner.token)
    for (const { inputSchema } of await toolsOf(client))
      for (const field of Object.keys(inputSchema.properties ?? {}))
        expect(field).not.toMatch(/file|variable|secret|token|usage|password/)
    await client.close()
  })

  it('report invalid arguments and errors of the API in the same form as svc mcp', async () => {
    const client = await connect(owner.token)
    expect(await refusal(client, 'get_trigger', {})).toMatchObject({ error: 'bad_arguments' })
    expect(
      await refusal(client, 'update_trigger', {
        trigger_id: 'x'.repeat(32),
        usage_key_file: '/etc/passwd',
      }),
    ).toMatchObject({ error: 'bad_arguments' })
    await client.close()
  })

  it('prompt injection: do not show the URLs of webhooks that receive alerts, which can hold a secret', async () => {
    const client = await connect(owner.token)
    const url = 'https://example.com/services/a-secret-path?key=a-secret'
    const { path, init } = post('/api/alerts/channels', { type: 'webhook', name: 'team', url })
    expect((await owner.api(path, init)).status).toBe(201)
    const { channels } = await called(client, 'list_alert_channels')
    expect(channels).toMatchObject([{ type: 'webhook', name: 'team', url_host: 'example.com' }])
    expect(JSON.stringify(channels)).not.toContain('a-secret')
    await client.close()
  })

  it('keep actions, and return the position of a syntax error', async () => {
    const client = await connect(owner.token)
    const { id: action_id } = await called(client, 'create_action', { name: 'a', source: '1' })
    await called(client, 'save_action_version', { action_id, source: '2' })
    await called(client, 'use_action_version', { action_id, number: 1 })
    const action = await called(client, 'get_action', { action_id })
    expect(action).toMatchObject({ current_version: 1, versions: 2, source: '1' })
    const failure = await refusal(client, 'save_action_version', { action_id, source: 'let 1' })
    expect(failure).toMatchObject({ error: 'source_does_not_compile', status: 422 })
    expect(failure.message).toContain('line 1, column 5')
    await client.close()
  })

  it('compute the CID of a source', async () => {
    const client = await connect(owner.token)
    const { action_cid } = await called(client, 'compute_action_cid', { action_code: 'x' })
    expect(action_cid).toMatch(/^Qm/)
    await client.close()
  })
})

describe('attacks on the remote MCP server', () => {
  it('no token: 401 with a Bearer challenge', async () => {
    const response = await postMessage({})
    expect(response.status).toBe(401)
    expect(response.headers.get('www-authenticate')).toMatch(/^Bearer/)
  })

  it('session cookie: does not authenticate', async () => {
    expect((await postMessage({ cookie: '__Host-svc=stolen' })).status).toBe(401)
  })

  it('token in the query string: is not accepted', async () => {
    const path = `/mcp?access_token=${owner.token}`
    const response = await edge(path, { method: 'POST', body: JSON.stringify(LIST_TOOLS) })
    expect(response.status).toBe(401)
  })

  it.each([
    ['page of another site', { origin: 'https://evil.example' }],
    ['opaque origin', { origin: 'null' }],
    ['same host on another scheme', { origin: 'http://edge.test' }],
    ['page on localhost', { origin: 'http://localhost:3000' }],
  ])('%s: 403, even with a valid token', async (_, headers) => {
    const authorization = `Bearer ${owner.token}`
    expect((await postMessage({ authorization, ...headers })).status).toBe(403)
    expect((await postMessage({ authorization, origin: 'https://edge.test' })).status).toBe(200)
  })

  it('DNS rebinding: another host name is rejected', async () => {
    const response = await edge('https://rebound.example/mcp', {
      method: 'POST',
      headers: { authorization: `Bearer ${owner.token}`, 'content-type': 'application/json' },
      body: JSON.stringify(LIST_TOOLS),
    })
    expect(response.status).toBe(403)
  })

  it('read-only token: a tool that changes something gets 403 with the missing scope', async () => {
    const reader = await someOwner({ scopes: ['triggers:read'] })
    const { id } = await createTrigger(owner)
    const call = (name: string, args: object) => ({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name, arguments: args },
    })
    const authorization = `Bearer ${reader.token}`
    const refused = await postMessage({ authorization }, call('delete_trigger', { trigger_id: id }))
    expect(refused.status).toBe(403)
    expect(refused.headers.get('www-authenticate')).toMatch(
      /error="insufficient_scope".*scope="triggers:write"/,
    )
    expect((await postMessage({ authorization }, call('list_triggers', {}))).status).toBe(200)
  })

  it('foreign trigger: a token reaches only its owner’s triggers', async () => {
    const { id } = await createTrigger(owner)
    const other = await connect((await someOwner()).token)
    for (const tool of ['get_trigger', 'delete_trigger', 'purge_trigger', 'list_runs'])
      expect((await refusal(other, tool, { trigger_id: id })).status).toBe(404)
    await other.close()
  })

  it('foreign trigger: a new trigger cannot get its usage key', async () => {
    const { id } = await createTrigger(owner)
    const other = await someOwner()
    const client = await connect(other.token)
    const action_code = script(success())
    const fields = { name: 'x', kind: 'webhook', action_code, permissions_of: id }
    expect((await refusal(client, 'create_trigger', fields)).status).toBe(422)
    expect((await called(client, 'list_triggers')).triggers).toEqual([])
    await client.close()
  })

  it.each(['usage_api_key', 'usage_key_file', 'webhook_secret'])(
    'prompt injection: create_trigger refuses %s',
    async (field) => {
      const client = await connect(owner.token)
      const { id } = await createTrigger(owner)
      const action_code = script(success())
      const fields = { name: 'x', kind: 'webhook', action_code, permissions_of: id }
      const refused = await refusal(client, 'create_trigger', { ...fields, [field]: 'x' })
      expect(refused.error).toBe('bad_arguments')
      await client.close()
    },
  )

  it('tools of two users in one isolate never share a user', async () => {
    const owners = await Promise.all([someOwner(), someOwner(), someOwner()])
    const clients = await Promise.all(owners.map(({ token }) => connect(token)))
    const seen = await Promise.all(clients.map((client) => called(client, 'whoami')))
    expect(seen.map(({ id }) => id)).toEqual(owners.map(({ id }) => id))
    await Promise.all(clients.map((client) => client.close()))
  })

  it('message that is too large: 413', async () => {
    const padded = { ...LIST_TOOLS, params: { padding: 'x'.repeat(8 * 1024 * 1024) } }
    const response = await postMessage({ authorization: `Bearer ${owner.token}` }, padded)
    expect(response.status).toBe(413)
  })

  it('subscription that would stay open: is refused', async () => {
    const version = '2026-07-28'
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': version,
      'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    }
    const method = 'subscriptions/listen'
    const params = { notifications: { toolsListChanged: true }, _meta }
    const authorization = `Bearer ${owner.token}`
    const headers = { authorization, 'mcp-protocol-version': version, 'mcp-method': method }
    const response = await postMessage(headers, { jsonrpc: '2.0', id: 1, method, params })
    expect(await response.text()).toContain('limit reached')
  })

  it('other methods: 405', async () => {
    for (const method of ['GET', 'DELETE'])
      expect((await edge('/mcp', { method })).status).toBe(405)
  })
})
