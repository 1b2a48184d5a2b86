/** Each script at `/scripts/<folder>.js` is built from a folder of `edge/console/`. */
import type { Context } from 'hono'
import type { App, AppEnv } from '../../http/app-env.ts'

type Load = () => Promise<{ default: string }>

/** Loaded on demand, because most requests, such as webhooks, do not need them. */
const SCRIPTS = {
  account: () => import('../../browser/account/script.txt'),
  connect: () => import('../../browser/connect/script.txt'),
  console: () => import('../../browser/console/script.txt'),
  ethers: () => import('../../browser/ethers/script.txt'),
  pay: () => import('../../browser/pay/script.txt'),
  'sign-in': () => import('../../browser/sign-in/script.txt'),
  verifier: () => import('../../browser/verifier/script.txt'),
  verify: () => import('../../browser/verify/script.txt'),
} as const satisfies Record<string, Load>

export type PageScriptName = keyof typeof SCRIPTS

const pathOf = (name: string) => `/scripts/${name}.js`

export function scriptUrl(c: Context<AppEnv>, name: PageScriptName): string {
  return new URL(pathOf(name), c.var.services.settings.PUBLIC_URL).href
}

export function registerPageScripts(app: App): void {
  for (const [name, load] of Object.entries(SCRIPTS)) registerPageScript(app, pathOf(name), load)
}

/** Only pages of this site may load the script. */
export function registerPageScript(app: App, path: string, load: Load): void {
  app.get(path, async (c) =>
    c.body((await load()).default, 200, {
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=300',
      'x-content-type-options': 'nosniff',
      'cross-origin-resource-policy': 'same-origin',
    }),
  )
}
