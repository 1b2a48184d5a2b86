import type { Context } from 'hono'

/**
 * Environment for `app.fetch`: the socket, if the request came from Node's server, or the address of the edge's client,
 * if the request came through the sealed channel.
 */
export type RequestBindings =
  | { incoming: { socket?: { remoteAddress?: string } } }
  | {
      envelope: {
        clientAddress: string
        /** `traceparent` of the edge's span. */
        trace?: string | undefined
      }
    }

/**
 * Returns the client's address: from the sealed envelope if the edge forwarded the request, otherwise from the socket.
 * Never uses headers, because any client can send any header. Returns `''` if the socket is closed or absent.
 */
export function resolveClientAddress(context: Context): string {
  const bindings = context.env as Partial<RequestBindings> | undefined
  if (bindings && 'envelope' in bindings && bindings.envelope)
    return bindings.envelope.clientAddress
  if (bindings && 'incoming' in bindings) return bindings.incoming?.socket?.remoteAddress ?? ''
  return ''
}
