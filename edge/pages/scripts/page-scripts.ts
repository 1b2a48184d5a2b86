/** Serves the scripts of pages. Each script at `/scripts/<folder>.js` is built from a folder of `edge/browser/`. */
import type { Context } from 'hono'
import { encodeHex } from '../../../shared/encoding/hex.ts'
import type { App, AppEnv } from '../../http/app-env.ts'
import { sha256 } from '../../sha256.ts'

/** They are loaded on demand, because most requests, such as webhooks, do not need them. */
const SCRIPTS = {
  account: () => import('../../browser/account/script.txt'),
  'audit-log': () => import('../../browser/audit-log/script.txt'),
  charts: () => import('../../browser/charts/script.txt'),
  connect: () => import('../../browser/connect/script.txt'),
  console: () => import('../../browser/console/script.txt'),
  'docs-search': () => import('../../browser/docs-search/script.txt'),
  docs: () => import('../../browser/docs/script.txt'),
  editor: () => import('../../browser/editor/script.txt'),
  examples: () => import('../../browser/examples/script.txt'),
  ethers: () => import('../../browser/ethers/script.txt'),
  language: () => import('../../browser/language/script.txt'),
  pay: () => import('../../browser/pay/script.txt'),
  policies: () => import('../../browser/policies/script.txt'),
  runs: () => import('../../browser/runs/script.txt'),
  transactions: () => import('../../browser/transactions/script.txt'),
  'sign-in': () => import('../../browser/sign-in/script.txt'),
  'trigger-form': () => import('../../browser/trigger-form/script.txt'),
  verifier: () => import('../../browser/verifier/script.txt'),
  verify: () => import('../../browser/verify/script.txt'),
} as const satisfies Record<string, () => Promise<{ default: string }>>

export type ScriptName = keyof typeof SCRIPTS
export const SCRIPT_NAMES = Object.keys(SCRIPTS)

export const scriptPath = (name: string) => `/scripts/${name}.js`

export function scriptUrl(c: Context<AppEnv>, name: ScriptName): string {
  return new URL(scriptPath(name), c.var.services.settings.PUBLIC_URL).href
}

/** Registers the scripts, which only pages of this site may load. */
export function registerPageScripts(app: App): void {
  for (const [name, load] of Object.entries(SCRIPTS)) {
    let version: Promise<string> | undefined
    app.get(scriptPath(name), async (c) => {
      const text = (await load()).default
      const requested = c.req.query('v')
      // Another version of this script may be requested while a deployment is in progress.
      const isImmutable = requested !== undefined && requested === (await (version ??= hash(text)))
      return c.body(text, 200, {
        'content-type': 'text/javascript; charset=utf-8',
        'cache-control': isImmutable ? IMMUTABLE : 'public, max-age=300',
        'x-content-type-options': 'nosniff',
        'cross-origin-resource-policy': 'same-origin',
        // Applies to a worker. It has no access to the network and cannot evaluate text.
        'content-security-policy': "default-src 'none'",
      })
    })
  }
}

const IMMUTABLE = 'public, max-age=31536000, immutable'

const hash = async (text: string) => encodeHex(await sha256(text))
