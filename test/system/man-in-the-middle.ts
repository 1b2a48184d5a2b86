/**
 * Man in the middle: terminates TLS between edge and origin with a certificate that the edge trusts, and gains nothing.
 */
import { randomBytes } from 'node:crypto'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { CHANNEL_KEY_FILE, EVIDENCES_PATH } from '../../shared/attestation/evidence.ts'
import { decodeBase64url } from '../../shared/encoding/base64url.ts'
import { HEADER_BYTES, SEALED_CONTENT_TYPE } from '../../shared/envelope/format.ts'
import { importChannelKey, sealCall } from '../../shared/envelope/seal.ts'
import { SEALED_RUNS_PATH } from '../../shared/wire/sealed-runs.ts'
import { evidenceKeySchema, SEALED_EXECUTE_PATH } from '../../shared/wire/sealed.ts'
import { SEALED_HTTP_PATH } from '../../shared/wire/sealed-http.ts'
import type { Alter, Direction, ManInTheMiddle } from '../doubles/man-in-the-middle.ts'
import { newOwner, type Owner } from './owner.ts'
import type { StartedStack } from './stack.ts'

const canary = () => `canary-${randomBytes(12).toString('hex')}`
/** Text of the response, which appears in no request: seeing it means that the attacker decrypted a response. */
const mirrored = (text: string) => [...text].toReversed().join('')
const ACTION = `async function main({ text, event }) {
  return [...(text ?? JSON.stringify(event))].reverse().join('')
}`

// Positions at which one byte of a sealed message is altered: some in each header field, and the last bytes.
const FIELDS = [0, 1, 2, 17, 18, HEADER_BYTES - 1, HEADER_BYTES, HEADER_BYTES + 64, 99, 120]
const PLACES = [...FIELDS, ...[1, 2, 8, 16, 17, 40].map((fromEnd) => -fromEnd)]

/** @param world a stack with an edge that reaches the origin only through `man` */
export function aManInTheMiddleGetsNothing(
  world: () => { stack: StartedStack; man: ManInTheMiddle },
): void {
  const core = async (name: string, key: string, body?: object) => {
    const response = await fetch(`${world().stack.triggersUrl}/core/v1/${name}`, {
      method: body ? 'POST' : 'GET',
      headers: { 'content-type': 'application/json', ...(key && { 'x-api-key': key }) },
      ...(body && { body: JSON.stringify(body) }),
    })
    return { status: response.status, body: (await response.json()) as any }
  }
  const newAccount = (account_name: string) =>
    core('new_account', '', { account_name, account_description: '' })
  const run = (key: string, text: string) =>
    core('svc_action', key, { code: ACTION, js_params: { text } })

  describe('man in the middle between edge and origin, with a certificate that the edge trusts', () => {
    let man: ManInTheMiddle
    let key: string
    let owner: Owner
    let trigger: { webhook_url: string; id: string }
    const source = canary()
    beforeAll(async () => {
      man = world().man
      key = (await newAccount(canary())).body.api_key
      const { triggersUrl } = world().stack
      owner = await newOwner({ baseUrl: triggersUrl, triggersUrl })
      trigger = await owner.createTrigger(`${ACTION} // ${source}`)
    })
    afterEach(() => man.use(undefined))
    const balance = async () => (await core('billing/balance', key)).body.balance_cents
    const last = (path: string) => man.exchanges.findLast((exchange) => exchange.path === path)!
    const hasSeen = (text: string) => {
      const bytes = Buffer.from(text)
      const forms = [text, bytes.toString('hex'), bytes.toString('base64').slice(0, -4)]
      return forms.some((form) => man.seen().includes(form))
    }

    it('reads no secrets of a new_account, a svc_action and an execution', async () => {
      const [name, text, event] = [canary(), canary(), canary()]
      const account = await newAccount(name)
      const answer = await run(account.body.api_key, text)
      expect(answer.body.response).toBe(mirrored(text))
      await owner.fire(trigger.webhook_url, { event })
      const [ran] = await owner.allEnded(trigger.id, 20)
      expect(ran?.response).toContain(mirrored(event))

      const secrets = [name, text, event, source, ran!.id, ACTION.slice(0, 30)]
      secrets.push(account.body.api_key, mirrored(text), mirrored(event))
      for (const secret of secrets) expect([secret, hasSeen(secret)]).toEqual([secret, false])
      // Proves that the traffic passed through: unsealed content is visible.
      expect(last(SEALED_HTTP_PATH).answer.length).toBeGreaterThan(100)
      expect(last(SEALED_RUNS_PATH).request.length).toBeGreaterThan(100)
      await core(`version?${source}`, '')
      expect(hasSeen(source)).toBe(true)
    })

    it.each<[Direction]>([['request'], ['answer']])(
      'rejects a svc_action with one altered byte in its %s, and never returns a wrong result',
      async (altered) => {
        const before = await balance()
        for (const place of PLACES) {
          man.use(flipping(altered, place))
          const answer = await run(key, 'text')
          expect([place, answer.status]).toEqual([place, 503])
        }
        man.use(undefined)
        // Requests altered on the way back were executed; those altered on the way there were not.
        const executed = altered === 'request' ? 0 : PLACES.length
        expect(await balance()).toBe(before - executed)
        expect((await run(key, 'text')).body.response).toBe('txet')
      },
    )

    it('returns no account key if a new_account is altered', async () => {
      for (const direction of ['request', 'answer'] as const)
        for (const place of [1, HEADER_BYTES, -1, -20]) {
          man.use(flipping(direction, place))
          const answer = await newAccount('altered')
          expect([answer.status, answer.body.api_key]).toEqual([503, undefined])
        }
    })

    it('runs an execution once, with the correct result, if it is altered on both ways', async () => {
      const text = canary()
      const pending: [Direction, number][] = [
        ['request', HEADER_BYTES + 70],
        ['answer', -3],
      ]
      man.use((direction, path, body) => {
        const [next] = pending
        if (path !== SEALED_RUNS_PATH || next?.[0] !== direction) return body
        pending.shift()
        return flipped(body, next[1])
      })
      const id = await owner.fire(trigger.webhook_url, { text })
      const ran = (await owner.allEnded(trigger.id, 30)).find((one) => one.id === id)
      expect(pending).toEqual([])
      expect(ran).toMatchObject({ status: 'success', attempt: 1, charged_cents: 1 })
      expect(ran?.response).toContain(mirrored(text))
    })

    it('executes a forwarded svc_action once if the attacker claims that the origin has another key', async () => {
      const before = await balance()
      man.lieOnce(SEALED_HTTP_PATH)
      const { status, body } = await run(key, 'text')
      expect([status, body.fix]).toEqual([503, expect.stringContaining('took effect')])
      expect(await balance()).toBe(before - 1)
    })

    it('replay: executes recorded requests no further time', async () => {
      await run(key, 'text')
      const recorded = [last(SEALED_HTTP_PATH), last(SEALED_RUNS_PATH)]
      await owner.allEnded(trigger.id, 20)
      const [before, runs] = [await balance(), await owner.runs(trigger.id)]
      for (const exchange of recorded) {
        const { body } = await man.repeat(exchange)
        expect(body.equals(exchange.answer)).toBe(false)
      }
      expect(await balance()).toBe(before)
      expect(await owner.runs(trigger.id)).toEqual(runs)
    })

    it('gains nothing from end-to-end sealed requests that the edge forwards', async () => {
      const { baseUrl, triggersUrl } = world().stack
      const text = canary()
      const { body, open } = await sealedByAClient(baseUrl, key, text)
      const send = () =>
        fetch(`${triggersUrl}${SEALED_EXECUTE_PATH}`, {
          method: 'POST',
          headers: { 'content-type': SEALED_CONTENT_TYPE },
          body,
        })
      man.use(flipping('request', -1))
      expect((await send()).status).toBe(400)
      man.use(flipping('answer', -1))
      const forged = new Uint8Array(await (await send()).arrayBuffer())
      await expect(open(forged)).rejects.toThrow('cannot be decrypted')
      man.use(undefined)
      const again = new Uint8Array(await (await send()).arrayBuffer())
      expect(JSON.parse(Buffer.from(await open(again)).toString())).toMatchObject({
        status: 409,
        error: 'request_replayed',
      })
      for (const secret of [key, text, mirrored(text)])
        expect([secret, hasSeen(secret)]).toEqual([secret, false])
    })
  })
}

async function sealedByAClient(baseUrl: string, api_key: string, text: string) {
  const file = await (await fetch(`${baseUrl}${EVIDENCES_PATH}${CHANNEL_KEY_FILE}`)).json()
  const { public_key } = evidenceKeySchema.parse(file)
  const issued_at = Date.now()
  const fields = {
    request_id: randomBytes(16).toString('base64url'),
    issued_at,
    expires_at: issued_at + 60_000,
    credential: { api_key },
    code: ACTION,
    js_params: { text },
    wait_ms: 5_000,
  }
  return sealCall(await importChannelKey(decodeBase64url(public_key)!), {
    method: 'POST',
    path: SEALED_EXECUTE_PATH,
    plaintext: Uint8Array.from(Buffer.from(JSON.stringify(fields))),
  })
}

/** Alters one byte of each sealed request or response. Unsealed errors pass through unchanged. */
function flipping(direction: Direction, place: number): Alter {
  return (flowing, path, body) =>
    flowing === direction && path.startsWith('/sealed/') && body[0] !== 0x7b
      ? flipped(body, place)
      : body
}

/** @param place byte offset; counted from the end if negative */
function flipped(body: Buffer, place: number): Buffer {
  const copy = Buffer.from(body)
  const at = place < 0 ? body.length + place : place
  copy[at] = copy[at]! ^ 0x01
  return copy
}
