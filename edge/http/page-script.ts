import type { App } from './app-env.ts'

/**
 * Serves the one script of a page (`edge/console/`).
 * @param load reads it, only when somebody looks: a webhook has no use for it
 */
export function registerPageScript(
  app: App,
  path: string,
  load: () => Promise<{ default: string }>,
): void {
  app.get(path, async (c) =>
    c.body((await load()).default, 200, {
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=300',
      'x-content-type-options': 'nosniff',
      'cross-origin-resource-policy': 'same-origin',
    }),
  )
}
