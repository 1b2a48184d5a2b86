import type { Context } from 'hono'
import type { AppEnv } from '../app-env.ts'
import { toErrorResponse } from '../error-response.ts'
import { type MemoryShare, BodyMemory } from './body-memory.ts'

/** Memory for the bodies of all forwarded requests in this isolate. */
const bodyMemory = new BodyMemory(Date.now)

const EXPOSED = 'x-request-id,x-svc-error,retry-after,x-total-count'

/** Releases the memory when the request is finished. */
export async function sharingMemory(
  forward: (share: MemoryShare) => Promise<Response>,
): Promise<Response> {
  const share = bodyMemory.open()
  try {
    return await forward(share)
  } finally {
    share.close()
  }
}

export async function withMemoryShare(
  c: Context<AppEnv>,
  forward: (c: Context<AppEnv>, share: MemoryShare) => Promise<Response>,
): Promise<Response> {
  try {
    return await sharingMemory((share) => forward(c, share))
  } catch (error) {
    const refused = toErrorResponse(error, c.req.raw, c.env)
    // Pages of other sites can read errors from the origin, so they can also read errors from the edge.
    refused.headers.set('access-control-allow-origin', '*')
    refused.headers.set('access-control-expose-headers', EXPOSED)
    return refused
  }
}
