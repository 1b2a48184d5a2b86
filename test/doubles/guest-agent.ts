/**
 * dstack's guest agent on a Unix socket, with a KMS behind it: real key derivation and signatures, quotes of a
 * simulated machine, and scripted failures.
 */
import { createHash, hkdfSync, randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { pointFromScalar, signRecoverable } from 'tiny-secp256k1'
import { SimulatedProvider } from '../../origin/tee/simulated/provider.ts'

export type Method = 'GetKey' | 'GetQuote' | 'Info'

/** Modifies the responses of a method until removed. */
export type Fault =
  | { status: number }
  /** An error with status 200. */
  | { error: string }
  /** Closes the connection within the body. */
  | 'cut'
  /** Never responds. */
  | 'slow'
  /** A body of this size. */
  | { bytes: number }
  | { text: string }
  | { change: (answer: any) => object }

export type GuestAgentDouble = Awaited<ReturnType<typeof startGuestAgent>>

type Machine = {
  /** Root key of the KMS, which all machines of an application share. */
  kmsKey?: Buffer
  /**
   * App ID of 20 bytes.
   * @default first 20 bytes of the compose hash
   */
  appId?: Buffer
  /** Root of the simulated platform's certificates. */
  platformKey?: Buffer
}

/** @param appCompose compose file of the machine */
export async function startGuestAgent(appCompose: string, of: Machine = {}) {
  const { kmsKey = randomBytes(32), platformKey = randomBytes(32) } = of
  const folder = mkdtempSync(join(tmpdir(), 'svc-agent-'))
  const socketPath = join(folder, 'dstack.sock')
  const appId = of.appId ?? createHash('sha256').update(appCompose).digest().subarray(0, 20)
  const appKey = derived(kmsKey, Buffer.concat([appId, Buffer.from('app-key')]))
  const app = { appCompose, appId: appId.toString('hex') }
  const machine = new SimulatedProvider(platformKey, app, Date.now)
  const faults: Partial<Record<Method, Fault>> = {}
  const asked: { method: string; body: any }[] = []

  const methods: Record<Method, (body: any) => Promise<object> | object> = {
    GetKey: ({ path, purpose }) => {
      const key = derived(appKey, Buffer.from(path))
      const publicKey = Buffer.from(pointFromScalar(key, true)!).toString('hex')
      return {
        key: key.toString('hex'),
        signature_chain: [
          signed(appKey, Buffer.from(`${purpose}:${publicKey}`)),
          signed(kmsKey, issuedText(appId, appKey)),
        ],
      }
    },
    GetQuote: async ({ report_data }) => ({
      ...(await machine.quote(Buffer.from(report_data, 'hex'))),
      attestation: '',
    }),
    Info: async () => {
      const info = await machine.info()
      return { ...info, tcb_info: JSON.stringify(info.tcb_info), instance_id: '', device_id: '' }
    },
  }

  const call = async (path: string | undefined, text: string, response: ServerResponse) => {
    const method = (path ?? '').slice(1) as Method
    if (!Object.hasOwn(methods, method)) return end(response, 404, '{"error":"not found"}')
    const body = JSON.parse(text)
    asked.push({ method, body })
    return answerWith(response, faults[method], await methods[method](body))
  }

  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const isCall = request.method === 'POST'
      void call(isCall ? request.url : undefined, Buffer.concat(chunks).toString('utf8'), response)
    })
  })
  await new Promise<void>((listening) => server.listen(socketPath, listening))
  return {
    socketPath,
    faults,
    asked: asked as readonly { method: string; body: any }[],
    machine,
    appId,
    appKey,
    kmsKey,
    /** The KMS root key that operators pin. */
    kmsRoot: Buffer.from(pointFromScalar(kmsKey, true)!),
    close: async () => {
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function answerWith(response: ServerResponse, fault: Fault | undefined, answer: object): void {
  const text = JSON.stringify(answer)
  if (fault === undefined) return end(response, 200, text)
  if (fault === 'slow') return
  if (fault === 'cut') {
    response.writeHead(200, { 'content-length': text.length })
    response.write(text.slice(0, 20), () => response.destroy())
    return
  }
  if ('status' in fault) return end(response, fault.status, text)
  if ('error' in fault) return end(response, 200, JSON.stringify(fault))
  if ('bytes' in fault) return end(response, 200, ' '.repeat(fault.bytes))
  if ('text' in fault) return end(response, 200, fault.text)
  return end(response, 200, JSON.stringify(fault.change(answer)))
}

function end(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
  })
  response.end(text)
}

/** dstack's key derivation. */
function derived(key: Buffer, info: Buffer): Buffer {
  return Buffer.from(hkdfSync('sha256', key, 'RATLS', info, 32))
}

/** Text that the KMS signs for an application. */
export function issuedText(appId: Uint8Array, appKey: Uint8Array): Buffer {
  const publicKey = pointFromScalar(appKey, true)!
  return Buffer.concat([Buffer.from('dstack-kms-issued:'), appId, publicKey])
}

/** Signs with Keccak-256. @returns 65 bytes in hex: r, s and the recovery ID */
export function signed(key: Uint8Array, text: Uint8Array): string {
  const { signature, recoveryId } = signRecoverable(keccak_256(text), key)
  return Buffer.concat([signature, Uint8Array.of(recoveryId)]).toString('hex')
}
