export function traceHeaders(request: Request): Record<string, string> {
  const correlation = request.headers.get('x-correlation-id')
  return {
    'x-request-id': crypto.randomUUID(),
    ...(correlation === null ? {} : { 'x-correlation-id': correlation.slice(0, 255) }),
  }
}
