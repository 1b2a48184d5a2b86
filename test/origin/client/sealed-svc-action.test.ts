import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ResponseDecryptionError } from '../../../shared/envelope/seal.ts'
import { SvcError } from '../../../shared/client/failures/svc-error.ts'
import { ActionFailed } from '../../../shared/client/failures/action-failed.ts'
import { Unauthorized } from '../../../shared/client/failures/by-status.ts'
import { NetworkFailed } from '../../../shared/client/failures/transport-errors.ts'
import { OriginVerification } from '../../../shared/client/verification/origin-verification.ts'
import { SealedActions } from '../../../shared/client/verification/sealed-actions.ts'
import type { TrustedOrigin } from '../../../shared/client/verification/trusted-origin.ts'
import {
  AnswerUnreadable,
  AnswerUnsealed,
  ChannelKeyUnknown,
  TrustExpired,
} from '../../../shared/client/verification/failures.ts'
import { CallRefused } from '../../../shared/client/verification/call-refused.ts'
import {
  CHANNEL_KEY_MAX_AGE_MS,
  SEALED_RESPONSE_MAX_BYTES,
  SEALED_REQUEST_LIFETIME_MS,
} from '../../../shared/limits.ts'
import { sha256OfText } from '../../../shared/receipts/receipt.ts'
import { SEALED_CONTENT_TYPE } from '../../../shared/envelope/format.ts'
import { keyIdOf } from '../../../origin/channel/open-request.ts'
import { startOrigin, type TestOrigin } from '../http/origin.ts'
import {
  BASE_URL,
  callFrom,
  fetchFrom,
  type Network,
  policyFor,
  random,
  showEvidence,
  verifyFrom,
  wire,
} from './client-of.ts'

let origin: TestOrigin
let apiKey: string
let trusted: TrustedOrigin
beforeAll(async () => {
  origin = await startOrigin()
  await showEvidence(origin)
  apiKey = await origin.account()
  trusted = await verifyFrom(origin)
})
afterAll(() => origin.close())

const CODE = `function main({ secret }) { return { length: secret.length } }`
const THROWS = 'function main() { throw new Error("no") }'
const SECRET = 'a secret of the caller'
const jsParams = { secret: SECRET }

const call = (over: object = {}, options: Parameters<typeof callFrom>[3] = {}) =>
  callFrom(origin, trusted, { apiKey, code: CODE, jsParams, ...over }, options)
const begun = () => origin.logs.filter(({ event }) => event === 'run.started').length

/** Lets the origin execute the call, but replaces its response with altered bytes. */
const altered = (alter: (bytes: Uint8Array<ArrayBuffer>) => Uint8Array<ArrayBuffer>): Network => {
  return async (_request, passOn) => {
    const { headers, arrayBuffer } = await received(await passOn())
    return new Response(alter(new Uint8Array(arrayBuffer)), { headers })
  }
}
const received = async (response: Response) => ({
  headers: response.headers,
  arrayBuffer: await response.arrayBuffer(),
})

describe('an end-to-end sealed call', () => {
  it('is executed, and returns a receipt for this exact call', async () => {
    const { outcome, receipt } = await call()
    expect(outcome).toMatchObject({ status: 'success', response: { length: SECRET.length } })
    expect(receipt).toMatchObject({
      params_sha256: sha256OfText(JSON.stringify(jsParams)),
      account_hash: origin.hashOf(apiKey),
      compose_hash: trusted.composeHash,
    })
  })

  it('eavesdropping: reveals nothing of the key, code, params or response to intermediaries', async () => {
    const seen: string[] = []
    const { outcome } = await call(
      {},
      {
        network: async (request, passOn) => {
          const sent = Buffer.from(await request.arrayBuffer()).toString('latin1')
          seen.push(request.url, JSON.stringify([...request.headers]), sent)
          const { headers, arrayBuffer } = await received(await passOn())
          seen.push(Buffer.from(arrayBuffer).toString('latin1'), JSON.stringify([...headers]))
          return new Response(arrayBuffer, { headers })
        },
      },
    )
    const all = seen.join('\n')
    for (const secret of [apiKey, 'function main', SECRET, 'length', outcome.receipt!])
      expect(all).not.toContain(secret)
    expect(seen[0]).toBe('https://origin.test/sealed/execute')
    expect(seen[1]).toBe(JSON.stringify([['content-type', SEALED_CONTENT_TYPE]]))
  })

  it('returns the error and a receipt if the action fails', async () => {
    const { outcome, receipt } = await call({ code: THROWS })
    expect(outcome).toMatchObject({ status: 'failed', code: 'action_threw', message: 'no' })
    expect(receipt).toMatchObject({ status: 'failed', error_code: 'action_threw' })
  })

  it('without params receives an empty object', async () => {
    const code = 'function main(params) { return params }'
    const { outcome, receipt } = await call({ code, jsParams: undefined })
    expect(outcome).toMatchObject({ response: {} })
    expect(receipt?.params_sha256).toBe(sha256OfText('{}'))
  })

  it('is rejected like a plain call: an unknown key gets 401', async () => {
    const refused = call({ apiKey: 'nobody' })
    await expect(refused).rejects.toBeInstanceOf(CallRefused)
    await expect(refused).rejects.toMatchObject({ status: 401, code: 'unauthorized' })
  })

  it('is resealed if the origin has a new channel key, and is executed once', async () => {
    const before = begun()
    const old = origin.services.keyring.channelKey(2).publicKey
    const stale = { ...trusted, channelKey: old }
    const answer = await callFrom(origin, stale, { apiKey, code: CODE, jsParams })
    expect(answer.outcome.status).toBe('success')
    expect(answer.trusted.channelKey).toEqual(trusted.channelKey)
    expect(begun()).toBe(before + 1)
  })
})

describe('an attacker on the network', () => {
  it.each([0, 1, 5, 17, 40, -1])('altered response: changing byte %i is detected', async (at) => {
    const network = altered((bytes) => {
      bytes[at < 0 ? bytes.length + at : at]! ^= 1
      return bytes
    })
    await expect(call({}, { network })).rejects.toBeInstanceOf(ResponseDecryptionError)
  })

  it('truncated response: is rejected', async () => {
    for (const length of [0, 16, 33, 200]) {
      const network = altered((bytes) => bytes.slice(0, length))
      await expect(call({}, { network })).rejects.toBeInstanceOf(ResponseDecryptionError)
    }
  })

  it('exchanged response: the response of an identical earlier call does not open', async () => {
    const kept: { bytes?: Uint8Array<ArrayBuffer> } = {}
    await call({}, { network: altered((bytes) => (kept.bytes = bytes)) })
    const network = altered(() => kept.bytes!)
    await expect(call({}, { network })).rejects.toBeInstanceOf(ResponseDecryptionError)
  })

  it('forged response: an unsealed response is rejected with any content', async () => {
    const outcome = { status: 'success', response: 'forged' }
    for (const status of [200, 401, 403, 500]) {
      const network: Network = async () => Response.json({ state: 'ended', outcome }, { status })
      await expect(call({}, { network })).rejects.toMatchObject({ name: 'AnswerUnsealed', status })
    }
  })

  it('forged response: a redirect to another host is not followed', async () => {
    const network: Network = async () => Response.redirect('https://elsewhere.test/', 307)
    await expect(call({}, { network })).rejects.toBeInstanceOf(AnswerUnsealed)
  })

  it('flood: an endless response is not read to its end', async () => {
    let pulled = 0
    const body = new ReadableStream<Uint8Array>({
      pull: (to) => {
        pulled += 64 * 1024
        to.enqueue(new Uint8Array(64 * 1024))
      },
    })
    const headers = { 'content-type': SEALED_CONTENT_TYPE }
    const network: Network = async () => new Response(body, { headers })
    await expect(call({}, { network })).rejects.toBeInstanceOf(AnswerUnreadable)
    expect(pulled).toBeLessThan(SEALED_RESPONSE_MAX_BYTES + 1024 * 1024)
  })

  it('double execution: a forged 421 after the call was forwarded does not cause a second execution', async () => {
    const before = begun()
    const network: Network = async (request, passOn) => {
      const answer = await passOn()
      return request.method === 'POST' ? new Response(null, { status: 421 }) : answer
    }
    await expect(call({}, { network })).rejects.toBeInstanceOf(ChannelKeyUnknown)
    expect(begun()).toBe(before + 1)
  })

  it('double execution: a forged 421 does not, even while channel keys of two versions are valid', async () => {
    const before = begun()
    const { keys } = origin.services.channel
    const keyFor = keys.keyFor.bind(keys)
    const next = origin.services.keyring.channelKey(2)
    const ofBoth = (id: string) => keyFor(id) ?? (id === keyIdOf(next.publicKey) ? next : undefined)
    Object.assign(keys, { keyFor: ofBoth })
    const renewed = { ...trusted, channelKey: next.publicKey }
    const shown = { ...trusted, verifyAgain: () => Promise.resolve(renewed) }
    let sent = 0
    const network: Network = async (_request, passOn) => {
      const answer = await passOn()
      return sent++ === 0 ? new Response(null, { status: 421 }) : answer
    }
    const again = callFrom(origin, shown, { apiKey, code: CODE, jsParams }, { network })
    await expect(again.finally(() => Object.assign(keys, { keyFor }))).rejects.toMatchObject({
      code: 'request_replayed',
    })
    expect(sent).toBe(2)
    expect(begun()).toBe(before + 1)
  })

  it('replay: a captured call is not executed a second time', async () => {
    const before = begun()
    const captured: Uint8Array<ArrayBuffer>[] = []
    const network: Network = async (request, passOn) => {
      captured.push(new Uint8Array(await request.arrayBuffer()))
      return passOn()
    }
    await call({}, { network })
    const again = await origin.post('/sealed/execute', captured[0]!)
    expect(again.status).toBe(200)
    expect(begun()).toBe(before + 1)
  })
})

describe('stale trust', () => {
  it('sends nothing to an origin that was verified an hour ago', async () => {
    let asked = 0
    const network: Network = async (_request, passOn) => {
      asked++
      return passOn()
    }
    const now = () => trusted.verifiedUntil
    await expect(call({}, { network, now })).rejects.toBeInstanceOf(TrustExpired)
    expect(asked).toBe(0)
  })

  it('is valid for at most an hour', () => {
    const at = trusted.verifiedUntil - CHANNEL_KEY_MAX_AGE_MS
    expect(at).toBeLessThanOrEqual(origin.services.now())
  })

  it('slow delivery: the origin rejects a call that was held back beyond its lifetime', async () => {
    const network: Network = async (_request, passOn) => {
      origin.clock.aheadMs = SEALED_REQUEST_LIFETIME_MS + 1_000
      try {
        return await passOn()
      } finally {
        origin.clock.aheadMs = 0
      }
    }
    await expect(call({}, { network })).rejects.toMatchObject({ code: 'request_not_fresh' })
  })
})

describe('sealed calls of the client', () => {
  /** Creates a client over a network, with sleeps that take no time. */
  function actionsOver(network: Network) {
    const verification = new OriginVerification({
      baseUrl: BASE_URL,
      verify: 'once',
      policy: policyFor(origin),
      fetch: fetchFrom(origin, wire),
      random,
      now: origin.services.now,
    })
    return new SealedActions({
      verification,
      via: BASE_URL,
      fetch: fetchFrom(origin, network),
      random,
      now: origin.services.now,
      sleep: async () => {},
      retries: undefined,
      signal: undefined,
    })
  }
  const failureOf = (promise: Promise<unknown>) =>
    promise.then(
      (answer) => new Error(`it was answered: ${JSON.stringify(answer)}`),
      (error: unknown) => error,
    )
  const refusedConnection = () =>
    Object.assign(new TypeError('fetch failed'), {
      cause: Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }),
    })

  it('respond like plain calls', async () => {
    const answer = await actionsOver(wire).svcAction(apiKey, { code: CODE, js_params: jsParams })
    const plain = await origin.call('/core/v1/svc_action', {
      key: apiKey,
      body: { code: CODE, js_params: jsParams },
    })
    expect(Object.keys(answer).toSorted()).toEqual(Object.keys(plain.body).toSorted())
    expect(answer).toMatchObject({ response: { length: SECRET.length }, has_error: false })
  })

  it('fail like plain calls: ActionFailed, Unauthorized', async () => {
    const actions = actionsOver(wire)
    const failed = await failureOf(actions.svcAction(apiKey, { code: THROWS }))
    expect(failed).toBeInstanceOf(ActionFailed)
    expect(failed).toMatchObject({ code: 'action_threw', status: 500, message: 'Error: no' })
    const nobody = `${'A'.repeat(43)}=`
    const refused = await failureOf(actions.svcAction(nobody, { code: CODE }))
    expect(refused).toBeInstanceOf(Unauthorized)
  })

  it('are retried if no connection was made', async () => {
    const before = begun()
    let tries = 0
    const network: Network = async (_request, passOn) => {
      if (tries++ === 0) throw refusedConnection()
      return passOn()
    }
    const answer = await actionsOver(network).svcAction(apiKey, { code: CODE, js_params: jsParams })
    expect(answer.has_error).toBe(false)
    expect([tries, begun()]).toEqual([2, before + 1])
  })

  it('double execution: are not retried if the response was lost', async () => {
    const before = begun()
    const network: Network = async (_request, passOn) => {
      await passOn()
      throw new TypeError('fetch failed')
    }
    const action = { code: CODE, js_params: jsParams }
    const failure = await failureOf(actionsOver(network).svcAction(apiKey, action))
    expect(failure).toBeInstanceOf(NetworkFailed)
    expect(failure).toMatchObject({ mayHaveBeenExecuted: true })
    expect(begun()).toBe(before + 1)
  })

  it('double execution: are not retried after a forged 421, 429 or 503', async () => {
    for (const status of [421, 429, 503]) {
      const before = begun()
      const network: Network = async (_request, passOn) => {
        await passOn()
        return new Response(null, { status, headers: { 'retry-after': '0' } })
      }
      const action = { code: CODE, js_params: jsParams }
      const failure = await failureOf(actionsOver(network).svcAction(apiKey, action))
      expect(failure).toBeInstanceOf(SvcError)
      expect(failure).toMatchObject({ status })
      expect(begun()).toBe(before + 1)
    }
  })

  it('pasted secret: a text that is not an API key is neither sent nor shown in the error', async () => {
    const network: Network = () => Promise.reject(new Error('something was sent'))
    const failure = await failureOf(actionsOver(network).svcAction('hunter2', { code: CODE }))
    expect(failure).toMatchObject({ code: 'bad_credential' })
    expect(String(failure)).not.toContain('hunter2')
  })
})
