import type { Context } from 'hono'
import { matchedRoutes } from 'hono/route'
import type { AppEnv } from './app-env.ts'

/** Route label of requests that match no route. */
const NO_ROUTE = 'none'

/** Path patterns of middleware, which is not a request's route. */
const MIDDLEWARE: readonly string[] = ['/*', '/api/*']

const routes = new WeakMap<Request, string>()

/** Records the route pattern of a request, for logs and metrics. */
export function noteRoute(request: Request, pattern: string): void {
  routes.set(request, pattern)
}

/**
 * Returns the route pattern of a request, for logs and metrics. The path itself must not be logged: it contains IDs,
 * and the URL of a webhook is its sender's credential.
 */
export function routeOf(request: Request): string {
  return routes.get(request) ?? NO_ROUTE
}

export function matchedRoute(c: Context<AppEnv>): string {
  const matched = matchedRoutes(c)
  const own = matched.findLast(({ method }) => method !== 'ALL')
  return (own ?? matched.findLast(({ path }) => !MIDDLEWARE.includes(path)))?.path ?? NO_ROUTE
}
