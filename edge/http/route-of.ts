import type { Context } from 'hono'
import { matchedRoutes } from 'hono/route'
import type { AppEnv } from './app-env.ts'

/** In the place of a route where no route of ours was asked for. */
const NO_ROUTE = 'none'

/** What only looks at a request before its route does. */
const MIDDLEWARE: readonly string[] = ['/*', '/api/*']

const routes = new WeakMap<Request, string>()

/** Remembers the pattern that a request is answered by, for whoever counts it. */
export function noteRoute(request: Request, pattern: string): void {
  routes.set(request, pattern)
}

/** The pattern, as it is registered: a path has ids in it, and a webhook's is what its sender holds. */
export function routeOf(request: Request): string {
  return routes.get(request) ?? NO_ROUTE
}

export function matchedRoute(c: Context<AppEnv>): string {
  const matched = matchedRoutes(c)
  const own = matched.findLast(({ method }) => method !== 'ALL')
  return (own ?? matched.findLast(({ path }) => !MIDDLEWARE.includes(path)))?.path ?? NO_ROUTE
}
