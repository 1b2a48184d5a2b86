/** Operations on one challenge by two accounts, in any order and concurrently. */
import { eq } from 'drizzle-orm'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { agentRequests, agentTokens } from '../../../edge/db/schema.ts'
import {
  refuseRequest,
  registerRequest,
  findAgentRequest,
} from '../../../edge/identity/agent-requests.ts'
import { approveAgentToken } from '../../../edge/identity/agent-tokens.ts'
import { revokeToken } from '../../../edge/identity/owned-tokens.ts'
import { approveRequest } from '../../../edge/identity/request-approval.ts'
import { findOrCreateUser } from '../../../edge/identity/users.ts'
import { newAgent } from './agent.ts'
import { someone } from './browser.ts'
import { db, identityApp } from './harness.ts'

const edge = identityApp()
const MINUTE_MS = 60_000

const rowOf = (challenge: string) =>
  db.select().from(agentRequests).where(eq(agentRequests.challenge, challenge)).get()
const tokenOf = (challenge: string) =>
  db.select().from(agentTokens).where(eq(agentTokens.challenge, challenge)).get()

/** Returns a well-formed code that does not match the request. */
const another = (code: string) => (code[0] === '7' ? '8' : '7') + code.slice(1)

describe('operations in any order', () => {
  const PEOPLE = ['one', 'other'] as const
  const event = fc.oneof(
    fc.record({ what: fc.constantFrom('register', 'expire' as const) }),
    fc.record({
      what: fc.constantFrom('plain', 'right', 'wrong', 'refuse', 'revoke' as const),
      who: fc.constantFrom(...PEOPLE),
    }),
  )
  type Event = { what: string; who?: (typeof PEOPLE)[number] }

  /** Creates a challenge and two accounts, and functions for all operations. */
  async function world() {
    const { challenge } = await newAgent()
    const clock = { ms: edge.clock.ms }
    const deps = { ...edge.services, now: () => clock.ms }
    const ids = { one: '', other: '' }
    for (const who of PEOPLE) ids[who] = (await findOrCreateUser(deps, someone())).id
    let code = '0000-0000'
    async function happens({ what, who = 'one' }: Event): Promise<string> {
      const userId = ids[who]
      if (what === 'expire') {
        clock.ms += 10 * MINUTE_MS
        return 'done'
      }
      if (what === 'register') {
        const made = await registerRequest(deps, { challenge, label: 'x' })
        code = made?.userCode ?? code
        return made ? 'made' : 'taken'
      }
      if (what === 'plain') return approveAgentToken(deps, { challenge, userId })
      if (what === 'revoke')
        return (await revokeToken(deps, { challenge, userId })) ? 'revoked' : 'unknown'
      const request = await findAgentRequest(deps, challenge)
      if (!request) return 'no request'
      if (what === 'refuse') return (await refuseRequest(deps, request.id)) ? 'refused' : 'over'
      const typed = what === 'right' ? code : another(code)
      const outcome = await approveRequest(deps, request, { code: typed, userId })
      return typeof outcome === 'object' ? `${outcome.attemptsLeft} left` : outcome
    }
    return { challenge, ids, happens }
  }

  /** Returns a model that predicts the result of each operation in sequence. */
  function model() {
    let bound: { who: string; revoked: boolean } | undefined
    let request: 'open' | 'approved' | 'refused' | 'locked' | 'expired' | undefined
    let left = 5
    const standing = (who: string) =>
      bound && (bound.who !== who ? 'taken' : bound.revoked ? 'revoked' : 'already_granted')
    return ({ what, who = 'one' }: Event): string => {
      if (what === 'expire') {
        if (request === 'open') request = 'expired'
        return 'done'
      }
      if (what === 'register') {
        if (bound || request) return 'taken'
        request = 'open'
        return 'made'
      }
      if (what === 'revoke') {
        if (bound?.who !== who) return 'unknown'
        bound.revoked = true
        return 'revoked'
      }
      if (what === 'plain') {
        if (bound || request) return standing(who) ?? 'registered'
        bound = { who, revoked: false }
        return 'granted'
      }
      if (!request) return 'no request'
      if (what === 'refuse') {
        if (request !== 'open') return 'over'
        request = 'refused'
        return 'refused'
      }
      if (request !== 'open') return standing(who) ?? `request_${request}`
      if (what === 'right') {
        request = 'approved'
        bound = { who, revoked: false }
        return 'granted'
      }
      left--
      if (left > 0) return `${left} left`
      request = 'locked'
      return 'request_locked'
    }
  }

  it('return the results of the model', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(event, { minLength: 3, maxLength: 10 }), async (events) => {
        const { happens } = await world()
        const expected = model()
        for (const each of events)
          expect([each, await happens(each)]).toEqual([each, expected(each)])
      }),
      { numRuns: 60 },
    )
  }, 60_000)

  it('race: bind at most one account, and only after a valid approval', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.boolean(),
        fc.array(event, { minLength: 3, maxLength: 9 }),
        async (first, events) => {
          const { challenge, ids, happens } = await world()
          if (first) await happens({ what: 'register' })
          // Expiry does not race with the other operations.
          const racing = events.filter(({ what }) => what !== 'expire')
          const said = await Promise.all(racing.map(happens))
          const [token, row] = [await tokenOf(challenge), await rowOf(challenge)]
          const granted = racing.filter((_, at) => said[at] === 'granted')
          expect(granted.length).toBe(token ? 1 : 0)
          if (token) expect(token.userId).toBe(ids[(granted[0] as Event).who ?? 'one'])
          expect(said.filter((one) => one === 'made').length).toBeLessThanOrEqual(1)
          // A request is approved if, and only if, its token is bound.
          if (row) expect(row.outcome === 'approved').toBe(token !== undefined)
          if (row?.outcome === 'refused') expect(said).toContain('refused')
          expect(row?.attemptsLeft ?? 5).toBeGreaterThanOrEqual(0)
        },
      ),
      { numRuns: 60 },
    )
  }, 60_000)
})
