import type { Context } from 'hono'
import type { AppEnv } from '../app-env.ts'
import { refusal } from '../refusal.ts'
import { type BodyShare, LargeBodies } from './large-bodies.ts'

/** Of this isolate, for all that is passed on. */
const largeBodies = new LargeBodies(Date.now)

const EXPOSED = 'x-request-id,x-svc-error,retry-after,x-total-count'

/** Answers a request that is passed on, with its share of the memory for bodies, ended with the answer. */
export async function withShare(
  c: Context<AppEnv>,
  passOn: (c: Context<AppEnv>, share: BodyShare) => Promise<Response>,
): Promise<Response> {
  const share = largeBodies.begin()
  try {
    return await passOn(c, share)
  } catch (error) {
    const refused = refusal(error, c.req.raw, c.env)
    // A page elsewhere may read the origin's refusals, and so ours in its place.
    refused.headers.set('access-control-allow-origin', '*')
    refused.headers.set('access-control-expose-headers', EXPOSED)
    return refused
  } finally {
    share.end()
  }
}
