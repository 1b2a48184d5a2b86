import type { Context } from 'hono'
import { matchedRoutes } from 'hono/route'
import type { AppEnv } from './app-env.ts'

/** Used if a request matched no route. */
const NO_ROUTE = 'none'

/** Patterns of middleware, which runs before a route. */
const MIDDLEWARE: readonly string[] = ['/*', '/api/*']

const routes = new WeakMap<Request, string>()

/** Remembers the route pattern of a request, for logs and metrics. */
export function noteRoute(request: Request, pattern: string): void {
  routes.set(request, pattern)
}

/** Returns the registered pattern, not the path: paths contain IDs, and a webhook's URL is its sender's credential. */
export function routeOf(request: Request): string {
  return routes.get(request) ?? NO_ROUTE
}

export function matchedRoute(c: Context<AppEnv>): string {
  const matched = matchedRoutes(c)
  const own = matched.findLast(({ method }) => method !== 'ALL')
  return (own ?? matched.findLast(({ path }) => !MIDDLEWARE.includes(path)))?.path ?? NO_ROUTE
}
