/** The scripts that pages load, by the folder of `edge/console/` that each is made of: `/scripts/<folder>.js`. */
import type { Context } from 'hono'
import type { App, AppEnv } from './app-env.ts'

/** Read only when somebody looks: a webhook has no use for them. A test holds that each folder is here. */
export const PAGE_SCRIPTS = {
  account: () => import('../console/account/script.txt'),
  connect: () => import('../console/connect/script.txt'),
  console: () => import('../console/console/script.txt'),
  ethers: () => import('../console/ethers/script.txt'),
  'sign-in': () => import('../console/sign-in/script.txt'),
  verifier: () => import('../console/verifier/script.txt'),
  verify: () => import('../console/verify/script.txt'),
} as const satisfies Record<string, () => Promise<{ default: string }>>

export type PageScriptName = keyof typeof PAGE_SCRIPTS

/** Where a browser finds a script, as pages and their policies name it. */
export function scriptUrl(c: Context<AppEnv>, name: PageScriptName): string {
  return new URL(`/scripts/${name}.js`, c.var.services.settings.PUBLIC_URL).href
}

/** `GET /scripts/<name>.js`. */
export function registerPageScripts(app: App): void {
  app.get('/scripts/:file', async (c) => {
    const load = SCRIPTS.get(c.req.param('file'))
    if (load === undefined) return c.notFound()
    return c.body((await load()).default, 200, {
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=300',
      'x-content-type-options': 'nosniff',
      'cross-origin-resource-policy': 'same-origin',
    })
  })
}

const SCRIPTS = new Map<string, () => Promise<{ default: string }>>(
  Object.entries(PAGE_SCRIPTS).map(([name, load]) => [`${name}.js`, load] as const),
)
