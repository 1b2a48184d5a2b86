import type { Context } from 'hono'
import { matchedRoutes } from 'hono/route'
import { NO_ROUTE } from '../../shared/wire/monitoring-paths.ts'
import type { AppEnv } from './app-env.ts'

const MIDDLEWARE: readonly string[] = ['/*', '/api/*']

const routes = new WeakMap<Request, string>()

export function recordRoute(request: Request, pattern: string): void {
  routes.set(request, pattern)
}

/** The path itself is not logged, because it contains IDs, and because a webhook's URL is its sender's credential. */
export function recordedRoute(request: Request): string {
  return routes.get(request) ?? NO_ROUTE
}

export function matchedRoute(c: Context<AppEnv>): string {
  const matched = matchedRoutes(c)
  const own = matched.findLast(({ method }) => method !== 'ALL')
  return (own ?? matched.findLast(({ path }) => !MIDDLEWARE.includes(path)))?.path ?? NO_ROUTE
}
