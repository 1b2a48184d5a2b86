import { createExecutionContext } from 'cloudflare:test'
import { eq } from 'drizzle-orm'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { createApp } from '../../../edge/app.ts'
import { oauthGrants } from '../../../edge/db/schema.ts'
import { exchangeCode } from '../../../edge/oauth/grant-tokens.ts'
import { approveGrant } from '../../../edge/oauth/grants.ts'
import { hashSecret } from '../../../edge/identity/secret.ts'
import { SCOPES } from '../../../shared/wire/agent.ts'
import type { TriggerLogPage } from '../../../shared/wire/trigger-log.ts'
import { createTrigger, db, env, type Owner, random, someOwner } from '../app.ts'

const ADDRESS = '203.0.113.61'
const CLIENT_ID = 'https://client.example.com/client.json'

/** Renames a trigger with the tool of the remote MCP server of a deployment, from `ADDRESS`. */
async function rename(token: string, id: string): Promise<void> {
  const call = { name: 'update_trigger', arguments: { trigger_id: id, name: 'renamed' } }
  const request = new Request('https://edge.test/mcp', {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      authorization: `Bearer ${token}`,
      'cf-connecting-ip': ADDRESS,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: call }),
  })
  const settings = { SVC_ENV: 'production', ORIGIN_TRUST: 'hardware', SIM_ROOT_SHA256: undefined }
  const deployed = { ...env, ...settings, CHAINS: undefined }
  const response = await createApp().fetch(request, deployed, createExecutionContext())
  expect([response.status, await response.text()]).toEqual([
    200,
    expect.stringContaining('renamed'),
  ])
}

/** @returns the ID and an access token of a program that the owner authorized with OAuth */
async function authorized(owner: Owner): Promise<{ grantId: string; accessToken: string }> {
  const deps = { db, now: Date.now, random, settings: env }
  const request = {
    clientId: CLIENT_ID,
    redirectUri: 'https://client.example.com/callback',
    codeChallenge: await hashSecret('verifier'),
    scopes: SCOPES,
    state: undefined,
    query: '',
  }
  const approval = { request, clientName: 'Robot', userId: owner.id, scopes: SCOPES }
  const code = await approveGrant(deps, approval)
  const exchange = { code, clientId: CLIENT_ID, redirectUri: undefined, codeVerifier: 'verifier' }
  const { accessToken } = await exchangeCode(deps, exchange)
  const grant = await db.select().from(oauthGrants).where(eq(oauthGrants.userId, owner.id)).get()
  return { grantId: grant!.id, accessToken }
}

const renamedBy = (owner: Owner) =>
  vi.waitUntil(
    async () => {
      const page: TriggerLogPage = await (await owner.api('/api/audit-log')).json()
      return page.entries.find(({ operation }) => operation === 'change_trigger')
    },
    { timeout: 15_000, interval: 20 },
  )

let owner: Owner
let id: string
beforeEach(async () => {
  owner = await someOwner()
  id = (await createTrigger(owner)).id
})

describe('the log entry of a change through /mcp', () => {
  it('has the kind and address of an agent token', async () => {
    await rename(owner.token, id)
    expect(await renamedBy(owner)).toMatchObject({
      actor: { kind: 'agent_token' },
      client_address: ADDRESS,
    })
  })

  it('has the kind and address of an OAuth client', async () => {
    const { accessToken } = await authorized(owner)
    await rename(accessToken, id)
    expect(await renamedBy(owner)).toMatchObject({
      actor: { kind: 'oauth_client' },
      client_address: ADDRESS,
    })
  })
})
