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
import { encodeBase64url } from '../../../shared/encoding/base64url.ts'
import { approveAgentToken } from '../../../edge/identity/agent-tokens.ts'
import { verifyAuditEntries } from '../../../shared/audit-log/verify-entries.ts'
import { createTrigger, db, edge, env, type Owner, random, someOwner } from '../app.ts'
import { Person } from '../pages/person.ts'

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
    scopes: [...SCOPES],
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
      actor: { kind: 'agent_token', id: (await hashSecret(owner.token)).slice(0, 16) },
      client_address: ADDRESS,
    })
  })

  it('has the kind and address of an OAuth client', async () => {
    const { accessToken, grantId } = await authorized(owner)
    await rename(accessToken, id)
    expect(await renamedBy(owner)).toMatchObject({
      actor: { kind: 'oauth_client', id: grantId.slice(0, 11) },
      details: { actor_name: 'Robot' },
      client_address: ADDRESS,
    })
  })

  it('STOLEN LOG: contains neither the challenge of a token, nor the ID of a grant', async () => {
    const { accessToken, grantId } = await authorized(owner)
    await rename(accessToken, id)
    await renamedBy(owner)
    const text = await (await owner.api('/api/audit-log')).text()
    for (const value of [owner.token, await hashSecret(owner.token), accessToken, grantId])
      expect(text).not.toContain(value)
  })
})

describe('the actor of an entry', () => {
  it('IMPERSONATION: differs between tokens of the same name, and is what the page of tokens shows', async () => {
    const person = await Person.signedIn()
    const deps = { db, now: Date.now, random, settings: env }
    const ids = []
    for (let n = 0; n < 2; n++) {
      const token = encodeBase64url(random(48))
      const challenge = await hashSecret(token)
      await approveAgentToken(deps, { challenge, userId: person.owner.id, label: 'deploy' })
      await edge(`/api/triggers/${(await createTrigger(person.owner)).id}`, {
        method: 'DELETE',
        headers: { authorization: `Bearer ${token}` },
      })
      ids.push(challenge.slice(0, 16))
    }
    const deletions = await vi.waitUntil(
      async () => {
        const page: TriggerLogPage = await (await person.owner.api('/api/audit-log')).json()
        const found = page.entries.filter(({ operation }) => operation === 'delete_trigger')
        return found.length === 2 && found
      },
      { timeout: 15_000, interval: 20 },
    )
    expect(deletions.map(({ details }) => details['actor_name'])).toEqual(['deploy', 'deploy'])
    expect(new Set(deletions.map(({ actor }) => actor.id))).toEqual(new Set(ids))
    const { text } = await person.get('/agent/tokens')
    for (const one of ids) expect(text).toContain(`<code>${one}</code>`)
    verifyAuditEntries(deletions.slice(0, 1))
    const forged = { ...deletions[0]!, actor: { ...deletions[0]!.actor, id: ids[0]! + 'x' } }
    expect(() => verifyAuditEntries([forged])).toThrow('does not match its hash')
  })
})
