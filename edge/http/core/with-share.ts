import type { Context } from 'hono'
import type { AppEnv } from '../app-env.ts'
import { refusal } from '../refusal.ts'
import { type BodyShare, LargeBodies } from './large-bodies.ts'

/** Shared by all forwarded requests of this isolate. */
const largeBodies = new LargeBodies(Date.now)

const EXPOSED = 'x-request-id,x-svc-error,retry-after,x-total-count'

/** The share is released once the response is available. */
export async function withShare(
  c: Context<AppEnv>,
  passOn: (c: Context<AppEnv>, share: BodyShare) => Promise<Response>,
): Promise<Response> {
  const share = largeBodies.begin()
  try {
    return await passOn(c, share)
  } catch (error) {
    const refused = refusal(error, c.req.raw, c.env)
    // Pages on other sites may read the origin's errors, so they may also read the edge's.
    refused.headers.set('access-control-allow-origin', '*')
    refused.headers.set('access-control-expose-headers', EXPOSED)
    return refused
  } finally {
    share.end()
  }
}
