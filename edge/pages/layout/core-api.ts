import type { Context } from 'hono'
import { ENVIRONMENTS } from '../../../shared/config/environments.ts'
import type { AppEnv } from '../../http/app-env.ts'

type CoreApi = {
  baseUrl: string
  /** Origins to which the page's script must be able to connect. */
  connect: readonly string[]
  /** Attributes that `edge/browser/console/read-origin.ts` reads. */
  data: {
    'data-base-url': string
    'data-verify': 'once' | 'never'
    /** SHA-256 of the only simulated root that pages accept. Otherwise, they require Intel's root. */
    'data-simulated-root'?: string | undefined
  }
}

/**
 * Core API for pages that use it with a key. In a public deployment, it is the origin. In a local stack, it is the
 * edge, because browsers do not trust the local certificate authority. The edge then verifies the origin, and seals and
 * forwards the calls.
 */
export function coreApi(c: Context<AppEnv>): CoreApi {
  const { SVC_ENV, ORIGIN_URL, PUBLIC_URL, SIM_ROOT_SHA256 } = c.var.services.settings
  const { isPublic, machine } = ENVIRONMENTS[SVC_ENV]
  const site = new URL(PUBLIC_URL).origin
  if (!isPublic)
    return {
      baseUrl: site,
      connect: [site],
      data: { 'data-base-url': site, 'data-verify': 'never' },
    }
  const baseUrl = new URL(ORIGIN_URL).origin
  return {
    baseUrl,
    connect: [...new Set([site, baseUrl])],
    data: {
      'data-base-url': baseUrl,
      'data-verify': 'once',
      ...(machine === 'simulated' && { 'data-simulated-root': SIM_ROOT_SHA256 }),
    },
  }
}
