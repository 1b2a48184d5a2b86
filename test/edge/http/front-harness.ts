import { vi } from 'vitest'
import { createApp } from '../../../edge/app.ts'
import type { Env } from '../../../edge/env.ts'
import type { Asked } from '../../doubles/core-script.ts'
import { edge, env, random } from '../app.ts'

/** Returns a random, well-formed API key. */
export const someKey = () => Buffer.from(random(32)).toString('base64')

/** Returns what reached the origin for a request to the edge. */
export async function asked(path: string, init?: RequestInit): Promise<Asked> {
  const response = await edge(path, init)
  if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`)
  return response.json()
}

export const textOf = ({ body }: Asked) => Buffer.from(body, 'base64').toString('latin1')

export type Answer = (request: Request, send: typeof fetch) => Response | Promise<Response>

/** Intercepts requests from the edge to the origin. @returns the requests that left the edge */
export function between(answer: Answer = (request, send) => send(request)): Request[] {
  const send = globalThis.fetch
  const left: Request[] = []
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
    const request = new Request(input, init)
    left.push(request)
    return answer(request, send)
  })
  return left
}

/** Returns true for requests by which the edge verifies its origin. */
export const isEvidence = (request: Request) =>
  /^\/(attestation(\/bundle)?|info|evidences\/.*)$/.test(new URL(request.url).pathname)

/** Creates a separate edge that has not verified anything yet. */
export function edgeWith(changes: Partial<Env> = {}): typeof edge {
  const trust = env.ORIGIN_TRUST_OBJECT.getByName(crypto.randomUUID())
  const namespace = { getByName: () => trust } as unknown as Env['ORIGIN_TRUST_OBJECT']
  const own: Env = { ...env, ORIGIN_TRUST_OBJECT: namespace, ...changes }
  const app = createApp()
  return async (path, init) => app.fetch(new Request(new URL(path, 'https://edge.test'), init), own)
}

/** Creates an edge with production settings. The trust settings come from its Durable Object. */
export const production = () =>
  edgeWith({
    SVC_ENV: 'production',
    ORIGIN_TRUST: 'hardware',
    SIM_ROOT_SHA256: undefined,
    CHAINS: undefined,
  })
