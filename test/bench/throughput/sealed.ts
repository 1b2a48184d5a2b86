/**
 * Sealed executions of runs at an origin without an edge. The client seals like the edge, but in advance, so that the
 * rate is that of the origin. The baseline is `svc_action` with the same action, key and number of requests in flight.
 */
import { randomBytes } from 'node:crypto'
import { SEALED_CONTENT_TYPE } from '../../../shared/envelope/format.ts'
import {
  type ChannelPublicKey,
  importChannelKey,
  sealCall,
  sealForStorage,
} from '../../../shared/envelope/seal.ts'
import { RUN_SUFFIX_BYTES, TRIGGER_MAC_BYTES, TRIGGER_RANDOM_BYTES } from '../../../shared/ids.ts'
import { EXECUTE_WAIT_MS, SEALED_REQUEST_LIFETIME_MS } from '../../../shared/limits.ts'
import { encodeFrame } from '../../../shared/wire/sealed-http.ts'
import {
  runsMessageSchema,
  type RunsRequest,
  SEALED_RUNS_PATH,
} from '../../../shared/wire/sealed-runs.ts'
import type { StoredUsageKey } from '../../../shared/wire/sealed.ts'
import { CHANNEL_PSK } from '../../system/origins.ts'
import { startLoneOrigin, usageKeyFor } from '../lone-origin.ts'
import { post } from '../load.ts'
import { median, report } from '../report.ts'
import type { DurablePostgres } from '../durable-postgres.ts'

const CODE = 'async function main(params) { return params.a + 1 }'
const PARAMS = { a: 41 }
const TRIGGERS = 100
const CHANNEL_EPOCH = 1
const WINDOWS = 3
/** Requests of a window by requests in flight. All are sealed and sent within the lifetime of a sealed request. */
const REQUESTS = [
  { inFlight: 1, requests: 200 },
  { inFlight: 8, requests: 600 },
  { inFlight: 64, requests: 1_000 },
]

export async function measureSealed(postgres: DurablePostgres): Promise<void> {
  const { origin, keyring, close } = await startLoneOrigin(await postgres.createDatabase('sealed'))
  try {
    const key = await usageKeyFor(origin, CODE)
    const importKey = (raw: Buffer) => importChannelKey(Uint8Array.from(raw))
    const channel = await importKey(keyring.channelKey(CHANNEL_EPOCH).publicKey)
    const storage = await importKey(keyring.storageKey().publicKey)
    const stored = await Promise.all(
      Array.from({ length: TRIGGERS }, () => storedUsageKey(storage, key)),
    )
    const sealed = (load: Window) => sealedRate(origin.url, channel, stored, load)
    const plain = (load: Window) => plainRate(origin.url, key, load)
    for (const measured of [sealed, plain]) await measured({ inFlight: 8, requests: 400 })
    for (const load of REQUESTS) {
      const [values, baselines]: [number[], number[]] = [[], []]
      for (let window = 0; window < WINDOWS; window++) {
        baselines.push(await plain(load))
        values.push(await sealed(load))
      }
      report({
        bench: 'throughput',
        metric: `sealed_rate_${load.inFlight}`,
        value: median(values),
        unit: 'runs/s',
        baseline: median(baselines),
        ratio: median(values.map((value, n) => value / baselines[n]!)),
      })
    }
  } finally {
    await close()
  }
}

type Window = { inFlight: number; requests: number }

async function storedUsageKey(storage: ChannelPublicKey, key: string): Promise<StoredUsageKey> {
  const triggerId = randomBytes(TRIGGER_RANDOM_BYTES + TRIGGER_MAC_BYTES).toString('base64url')
  const ownerId = 'bench'
  const sealed = await sealForStorage(storage, key, { triggerId, ownerId })
  const sealed_usage_key = Buffer.from(sealed).toString('base64url')
  return { sealed_usage_key, trigger_id: triggerId, owner_id: ownerId }
}

async function sealedRate(
  url: string,
  channel: ChannelPublicKey,
  stored: readonly StoredUsageKey[],
  load: Window,
): Promise<number> {
  const calls: Awaited<ReturnType<typeof sealRun>>[] = []
  for (let n = 0; n < load.requests; n++)
    calls.push(await sealRun(channel, stored[n % stored.length]!))
  const responses: Uint8Array<ArrayBuffer>[] = []
  const { perSecond } = await post({
    url: () => `${url}${SEALED_RUNS_PATH}`,
    headers: { 'content-type': SEALED_CONTENT_TYPE },
    body: (n) => calls[n]!.body,
    status: 200,
    onResponse: (n, body) => (responses[n] = Uint8Array.from(body)),
    ...load,
  })
  for (const [n, { openStream }] of calls.entries()) {
    const { value } = await openStream(ReadableStream.from([responses[n]!])).next()
    const message = runsMessageSchema.parse(JSON.parse(Buffer.from(value!).toString()))
    const { response } = message
    if (response.state !== 'ended' || response.outcome.status !== 'success')
      throw new Error(`a sealed run did not succeed: ${JSON.stringify(message).slice(0, 300)}`)
  }
  return perSecond
}

function sealRun(channel: ChannelPublicKey, credential: StoredUsageKey) {
  const suffix = randomBytes(RUN_SUFFIX_BYTES).toString('base64url')
  const issuedAt = Date.now()
  const [code, params] = [Buffer.from(CODE), Buffer.from(JSON.stringify(PARAMS))]
  const request: RunsRequest = {
    request_id: randomBytes(16).toString('base64url'),
    issued_at: issuedAt,
    expires_at: issuedAt + SEALED_REQUEST_LIFETIME_MS,
    credential,
    wait_ms: EXECUTE_WAIT_MS,
    source_bytes: [code.length],
    runs: [
      {
        id: `${credential.trigger_id}${suffix}`,
        attempt: 1,
        source: 0,
        params_bytes: params.length,
      },
    ],
  }
  const body = Uint8Array.from(Buffer.concat([code, params]))
  return sealCall(channel, {
    method: 'POST',
    path: SEALED_RUNS_PATH,
    plaintext: encodeFrame(body, body.length, request),
    psk: Uint8Array.from(CHANNEL_PSK),
  })
}

async function plainRate(url: string, key: string, load: Window): Promise<number> {
  const { perSecond } = await post({
    url: () => `${url}/core/v1/svc_action`,
    headers: { 'content-type': 'application/json', 'x-api-key': key },
    body: Buffer.from(JSON.stringify({ code: CODE, js_params: PARAMS })),
    status: 200,
    ...load,
  })
  return perSecond
}
