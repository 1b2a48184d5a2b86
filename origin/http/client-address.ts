import type { Context } from 'hono'

/**
 * The address that a request came from: the socket's, never one that a header names, since any client can send any
 * header (`decisions.md`, Client address). `''` where there is none: a socket that is closed, or a request without one.
 */
export function clientAddress(context: Context): string {
  const node = context.env as { incoming?: { socket?: { remoteAddress?: string } } } | undefined
  return node?.incoming?.socket?.remoteAddress ?? ''
}
