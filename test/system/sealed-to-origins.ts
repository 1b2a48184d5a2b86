/** Sealed requests to origin processes, as the edge and clients send them. */
import { randomBytes } from 'node:crypto'
import { importChannelKey, sealCall } from '../../shared/envelope/seal.ts'
import {
  encodeFrame,
  PAD_BYTE,
  SEALED_HTTP_PATH,
  decodeFrame,
} from '../../shared/wire/sealed-http.ts'
import { SEALED_EXECUTE_PATH } from '../../shared/wire/sealed.ts'
import { CHANNEL_PSK, type OriginProcess, type Origins } from './origins.ts'

/** A sealed request that can be sent any number of times. */
export type Sealed = { sentTo(origin: OriginProcess): Promise<Said> }
/** Decrypted head of a response. */
export type Said = { state: string; status?: number; error?: string }

type Call = { path: string; key?: string; body: object }

/** Seals a core API request as the edge forwards it. */
export async function sealedHttp(world: Origins, { path, key, body }: Call): Promise<Sealed> {
  const headers = [['content-type', 'application/json'], ...(key ? [['x-api-key', key]] : [])]
  const head = { method: 'POST', path, query: '', headers, client_address: '203.0.113.7' }
  const text = new Uint8Array(Buffer.from(JSON.stringify(body)))
  const plaintext = encodeFrame(text, text.length, { ...fresh(), ...head })
  const psk = Uint8Array.from(CHANNEL_PSK)
  return sealed(world, { path: SEALED_HTTP_PATH, plaintext, psk }, (answer) => {
    const parts = decodeFrame(answer)
    return parts?.head ?? ''
  })
}

/** Seals an execution end to end, as a client does. */
export async function sealedExecution(
  world: Origins,
  { api_key, code }: { api_key: string; code: string },
): Promise<Sealed> {
  const fields = { credential: { api_key }, code, js_params: {}, wait_ms: 5_000 }
  const plaintext = Uint8Array.from(Buffer.from(JSON.stringify({ ...fresh(), ...fields })))
  return sealed(world, { path: SEALED_EXECUTE_PATH, plaintext }, (answer) =>
    Buffer.from(answer).toString('utf8'),
  )
}

type Options = {
  path: string
  plaintext: Uint8Array<ArrayBuffer>
  psk?: Uint8Array<ArrayBuffer>
}

async function sealed(
  { channelKey }: Origins,
  options: Options,
  headOf: (answer: Uint8Array<ArrayBuffer>) => string,
): Promise<Sealed> {
  const key = await importChannelKey(Uint8Array.from(channelKey))
  const { body, open } = await sealCall(key, { method: 'POST', ...options })
  return {
    sentTo: async (origin) => {
      const answer = await origin.sealed(options.path, body)
      const whole = answer.subarray(answer.findIndex((byte) => byte !== PAD_BYTE))
      return JSON.parse(headOf(await open(whole))) as Said
    },
  }
}

function fresh() {
  const issued_at = Date.now()
  const request_id = randomBytes(16).toString('base64url')
  return { request_id, issued_at, expires_at: issued_at + 60_000 }
}
